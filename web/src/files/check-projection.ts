import proj4 from 'proj4';
import { FileError } from './file-error.js';

/** How well-known text begins, in either version. */
const WELL_KNOWN_TEXT = /^\s*\w+\s*[[(]/;
/** A coordinate system without a place on the earth, whose metres proj4 takes for angles. */
const LOCAL = /^\s*LOCAL_CS\b/i;
/** The longest name of a coordinate system that a message quotes. */
const MAX_NAME = 100;

/**
 * Checks that coordinates can be converted by a .prj file: shpjs leaves them as they are where they cannot.
 * @returns whether the text states a coordinate system
 * @throws FileError for one that is unknown or damaged
 */
export function statesProjection(fileName: string, text: string): boolean {
  if (isKnown(text)) return true;
  if (!WELL_KNOWN_TEXT.test(text)) return false;
  const name = /"([^"]*)/.exec(text)?.[1]?.slice(0, MAX_NAME) ?? '';
  throw new FileError(
    `The page cannot convert the coordinate system "${name}" of ${fileName}. Save the layer in WGS 84 (EPSG:4326) and drop its zip again.`,
  );
}

function isKnown(text: string): boolean {
  try {
    proj4(text);
  } catch {
    return false;
  }
  return !LOCAL.test(text);
}
