import proj4 from 'proj4';
import { FileError } from './file-error.js';

/** The name in well-known text of either version, or the projection in the text of ArcInfo, which may have degrees. */
const UNKNOWN = /^\s*\w+\s*[[(]\s*(?:"([^"]*))?|^\s*Projection\s+(?!GEOGRAPHIC)(\w+)/i;
/** A coordinate system without a place on the earth, whose metres proj4 takes for angles. */
const LOCAL = /^\s*LOCAL_CS\b/i;
/** How the names of coordinate systems end whose degrees are those of WGS 84 within two metres. */
const WGS_84 = /(^|\W)(CRS8[34]h?|4326|4979|4269|(GCS_)?WGS[ _]?(19)?84)$/i;
/** The longest name of a coordinate system that a message quotes. */
const MAX_NAME = 100;

/**
 * Checks that coordinates can be converted by a .prj file: shpjs leaves them as they are where they cannot.
 * @returns whether the text states one that can be converted
 * @throws FileError for one that is unknown or damaged
 */
export function statesProjection(fileName: string, text: string): boolean {
  if (isKnown(text)) return true;
  const unknown = UNKNOWN.exec(text);
  if (unknown === null) return false;
  throw unconvertible(unknown[1] ?? unknown[2] ?? '', fileName, 'its zip');
}

/**
 * Checks the member `crs` that GeoJSON had before RFC 7946, which leaves it out.
 * @throws FileError where it names other coordinates than degrees of WGS 84
 */
export function checkCrs(content: unknown): void {
  const { crs } = (content ?? {}) as { crs?: { properties?: { name?: unknown } } | null };
  const name = crs?.properties?.name;
  if (typeof name === 'string' && !WGS_84.test(name.trim())) throw unconvertible(name, 'the file', 'it');
}

const unconvertible = (name: string, file: string, dropped: string) =>
  new FileError(
    `The page cannot convert the coordinate system "${name.slice(0, MAX_NAME)}" of ${file}. Save the layer in WGS 84 (EPSG:4326) and drop ${dropped} again.`,
  );

function isKnown(text: string): boolean {
  try {
    proj4(text);
  } catch {
    return false;
  }
  return !LOCAL.test(text);
}
