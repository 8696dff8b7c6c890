import { FileError } from './file-error.js';
import { tableSize } from './read-dbf.js';

/** Limits on shapefiles: the parser makes an object of each shape and row, and compares the rings of a shape. */
const MAX_ROWS = 500_000;
const MAX_RINGS = 20_000;
/** The codes of polygons and lines, without and with Z and M. */
const WITH_PARTS: readonly number[] = [3, 5, 13, 15, 23, 25];

const damaged = (name: string) => new FileError(`${name} in the zip is damaged or truncated.`);
const tooMany = (name: string, what: string, limit: number) =>
  new FileError(
    `${name} in the zip has more than ${limit.toLocaleString('en-US')} ${what}. Divide the layer into parts.`,
  );

/**
 * Checks the number of rows that the header of a .dbf file states: the parser reads as many, even past the file's end.
 * @throws FileError
 */
export function checkTable(name: string, bytes: Uint8Array): void {
  if (bytes.length < 32) throw damaged(name);
  const { rows, headerBytes, rowBytes } = tableSize(bytes);
  if (rows > 0 && (rowBytes === 0 || headerBytes + rows * rowBytes > bytes.length)) throw damaged(name);
  if (rows > MAX_ROWS) throw tooMany(name, 'rows', MAX_ROWS);
}

/** Checks how many shapes a .shp file has, and how many rings each. @throws FileError */
export function checkShapes(name: string, bytes: Uint8Array): void {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let shapes = 0;
  for (let at = 100; at + 12 <= bytes.length; shapes++) {
    const contentBytes = 2 * file.getInt32(at + 4);
    if (contentBytes < 4) throw damaged(name);
    const hasParts = WITH_PARTS.includes(file.getInt32(at + 8, true)) && at + 48 <= bytes.length;
    if (hasParts && file.getInt32(at + 44, true) > MAX_RINGS) throw tooMany(name, 'rings a shape', MAX_RINGS);
    at += 8 + contentBytes;
  }
  if (shapes > MAX_ROWS) throw tooMany(name, 'shapes', MAX_ROWS);
}
