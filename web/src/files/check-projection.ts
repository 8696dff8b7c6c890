import proj4 from 'proj4';
import { FileError } from './file-error.js';

/** The name of the system in well-known text of either version, or the projection in ArcInfo text unless GEOGRAPHIC. */
const SYSTEM_NAME = /^\s*\w+\s*[[(]\s*(?:"([^"]*))?|^\s*Projection\s+(?!GEOGRAPHIC)(\w+)/i;
/** A coordinate system without a location on the earth, whose metres proj4 takes for angles. */
const LOCAL = /^\s*LOCAL_CS\b/i;
/** The end of the names of coordinate systems whose degrees are those of WGS 84 to within two metres. */
const WGS_84 = /(^|\W)(CRS8[34]h?|4326|4979|4269|4152|4759|6318|(GCS_)?WGS[ _]?(19)?84)$/i;
/** The longest name of a coordinate system that a message quotes. */
const MAX_NAME = 100;

/**
 * Checks the coordinate system of a .prj file: shpjs does not convert, and does not complain, if it is unknown.
 * @returns whether the text states a system
 * @throws FileError for a system that is unknown or damaged
 */
export function statesProjection(fileName: string, text: string): boolean {
  if (isKnown(text)) return true;
  const named = SYSTEM_NAME.exec(text);
  if (named === null) return false;
  throw unconvertible(named[1] ?? named[2] ?? '', fileName, 'its zip');
}

/**
 * Checks the member `crs` of GeoJSON, which RFC 7946 removed.
 * @throws FileError if it names coordinates other than degrees in WGS 84
 */
export function checkCrs(content: unknown): void {
  const { crs } = (content ?? {}) as { crs?: string | { properties?: Record<string, unknown> } | null };
  const { code, name: named } = (typeof crs === 'string' ? { name: crs } : crs?.properties) ?? {};
  const name = code ? `EPSG:${code}` : named;
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
