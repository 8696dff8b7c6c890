import type { Feature } from 'geojson';
import { checkShapes, checkTable } from './check-shapefile.js';
import { FileError } from './file-error.js';
import { readDbf, tableSize } from './read-dbf.js';

const MB = 1e6;

/** Most bytes of each unpacked part of a shapefile. A projection has a kilobyte, the name of an encoding less. */
const MAX_PART_BYTES: Readonly<Record<string, number>> = { shp: 100 * MB, dbf: 100 * MB, prj: MB, cpg: MB };
/** Most bytes of all unpacked parts together. */
const MAX_BYTES = 150 * MB;

/** The datum as ESRI, OGC and EPSG name it in .prj files. */
const NAD27 = /North.American.(Datum.)?1927|NAD27/i;

const NOTES = {
  nad27: 'The file is in NAD27: its places may be 100 m off. Convert it to WGS 84 and drop it again.',
  noProjection:
    'The zip has no .prj file that tells the projection: coordinates are read as degrees in WGS 84.',
  noEncoding: 'The file does not state the encoding of its texts: they are read as Windows-1252.',
};

/** The features of the shapefiles in a zip. */
interface ShapefileContent {
  readonly features: readonly Feature[];
  /** What a planner should know of how they were read. */
  readonly notes: readonly string[];
}

/** Reads a zip of one or more shapefiles. @throws FileError */
export async function readShapefile(zip: ArrayBuffer): Promise<ShapefileContent> {
  const { parseShp } = await import('shpjs');
  const { statesProjection } = await import('./check-projection.js');
  try {
    const parts = await unzipParts(zip);
    const names = [...parts.keys()].filter((name) => name.endsWith('.shp'));
    if (names.length === 0) throw new Error('no .shp file');
    const notes = new Set<string>();
    const features = names.flatMap((name) => {
      const part = (suffix: string) => parts.get(name.replace(/shp$/, suffix));
      const dbf = part('dbf');
      if (dbf !== undefined) checkTable(name.replace(/shp$/, 'dbf'), dbf);
      checkShapes(name, parts.get(name)!);
      const lacksEncoding = dbf !== undefined && part('cpg') === undefined && !isUtf8(dbf);
      const [projection, encoding] = ['prj', 'cpg'].map((suffix) => new TextDecoder().decode(part(suffix)));
      const rows = dbf === undefined ? [] : readDbf(dbf, lacksEncoding ? 'windows-1252' : encoding);
      if (lacksEncoding) notes.add(NOTES.noEncoding);
      if (!statesProjection(name.replace(/shp$/, 'prj'), projection)) notes.add(NOTES.noProjection);
      // The shift from NAD27 to WGS 84 needs a grid, which shpjs does not have.
      if (NAD27.test(projection)) notes.add(NOTES.nad27);
      return parseShp(parts.get(name)!, part('prj')).flatMap((geometry, index): Feature[] => {
        const properties = rows[index];
        // Converting two corners of a projected box gives a box that does not hold the shape.
        delete geometry?.bbox;
        return properties === null ? [] : [{ type: 'Feature', geometry, properties: properties ?? {} }];
      });
    });
    return { features, notes: [...notes] };
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError('The zip holds no shapefile that can be read: it needs .shp, .dbf and .prj files.');
  }
}

/** Whether the rows of a .dbf file are valid UTF-8, as ASCII is. */
function isUtf8(dbf: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(dbf.subarray(tableSize(dbf).headerBytes));
    return true;
  } catch {
    return false;
  }
}

/** The parts of shapefiles in a zip, by name in lower case; nothing else is unpacked. @throws FileError where one is too large */
async function unzipParts(zip: ArrayBuffer): Promise<Map<string, Uint8Array>> {
  const { iter } = await import('but-unzip');
  const parts = new Map<string, Uint8Array>();
  let left = MAX_BYTES;
  let limit = 0;
  for (const entry of iter(new Uint8Array(zip), (packed) => inflate(packed, limit))) {
    const name = entry.filename.toLowerCase();
    const partLimit = MAX_PART_BYTES[name.split('.').at(-1)!];
    if (partLimit === undefined || name.startsWith('__macosx')) continue;
    limit = Math.min(partLimit, left);
    const bytes = await entry.read();
    if (bytes.length > limit) {
      const problem =
        limit === partLimit
          ? `${entry.filename} in the zip has more than ${partLimit / MB} MB when it is unpacked`
          : `The shapefiles in the zip have more than ${MAX_BYTES / MB} MB when they are unpacked`;
      throw new FileError(`${problem}. Divide the layer into parts.`);
    }
    left -= bytes.length;
    parts.set(name, bytes);
  }
  return parts;
}

/** Unpacks bytes, and stops when they exceed the limit, whatever size the zip states for them. */
async function inflate(packed: Uint8Array, limit: number): Promise<Uint8Array> {
  const unpacked = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= limit; ) {
    const { done, value } = await unpacked.read();
    if (done) break;
    size += value.length;
    chunks.push(value);
  }
  await unpacked.cancel();
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
