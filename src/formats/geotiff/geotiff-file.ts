import type { PredictorData } from '../../prediction/predictor-data.js';
import { assumptionsOf } from '../request/option-numbers.js';
import { bandNames, type Surface } from '../surface/surface.js';
import { levelsOf, type RasterLevel, TILE_SIZE } from './tiles.js';

/** The types of fields, by the memory of their values: ASCII, SHORT, LONG and DOUBLE. */
const TYPES = { Uint8Array: 2, Uint16Array: 3, Uint32Array: 4, Float64Array: 12 } as const;

/** A field of a directory, which describes an image of the file. */
type Field = readonly [tag: number, values: Uint8Array | Uint16Array | Uint32Array | Float64Array];

const shorts = (...values: number[]) => Uint16Array.from(values);
const longs = (...values: number[]) => Uint32Array.from(values);
const doubles = (...values: number[]) => Float64Array.from(values);
const ascii = (text: string) => new TextEncoder().encode(`${text}\0`);

const HEADER_BYTES = 8;
const FIELD_BYTES = 12;
/** The number of fields, and where the next directory is. */
const FRAME_BYTES = 2 + 4;
/** Values of up to this many bytes are stored in the field itself. */
const INLINE_BYTES = 4;

/**
 * A cloud-optimized GeoTIFF in EPSG:4326, band by band: the directories of all levels, then the tiles of the overviews,
 * the smallest first, and those at full resolution.
 * @param tiles of each level, in the order of `tilesOf`
 */
export function geoTiffFile(
  surface: Surface,
  data: PredictorData,
  tiles: readonly (readonly Uint8Array[])[],
): Buffer<ArrayBuffer> {
  const offsets = tiles.map(({ length }) => new Uint32Array(length)); // known when all directories are laid out
  const bands = bandNames(surface.intervals);
  const directories = levelsOf(surface.cells).map((level, i) => [
    ...imageFields(level, bands.length, offsets[i], tiles[i]),
    ...(i === 0 ? [...georeferenceFields(surface, data), metadataField(surface, data, bands)] : []),
    [42113, ascii('nan')] as const, // GDAL_NODATA
  ]);
  let end = HEADER_BYTES;
  const starts = directories.map((fields) => {
    const start = end;
    end += directoryBytes(fields);
    return start;
  });
  for (const [i, ofLevel] of [...tiles.entries()].reverse())
    for (const [t, { length }] of ofLevel.entries()) {
      offsets[i][t] = end;
      end += length;
    }
  const file = Buffer.alloc(end);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(HEADER_BYTES, 4);
  directories.forEach((fields, i) => {
    writeDirectory(file, starts[i], fields, starts[i + 1] ?? 0);
    for (const [t, tile] of tiles[i].entries()) file.set(tile, offsets[i][t]);
  });
  return file;
}

/** The fields of an image, in the order of their tags. */
function imageFields(
  { scale, width, height }: RasterLevel,
  bands: number,
  offsets: Uint32Array,
  tiles: readonly Uint8Array[],
): Field[] {
  const ofEachBand = (value: number) => shorts(...Array<number>(bands).fill(value));
  return [
    [254, longs(scale === 1 ? 0 : 1)], // NewSubfileType: 1 is of reduced resolution
    [256, longs(width)],
    [257, longs(height)],
    [258, ofEachBand(32)], // BitsPerSample
    [259, shorts(8)], // Compression: DEFLATE
    [262, shorts(1)], // PhotometricInterpretation: black is 0
    [277, shorts(bands)], // SamplesPerPixel
    [284, shorts(2)], // PlanarConfiguration: band by band
    [317, shorts(3)], // Predictor: floating point
    [322, shorts(TILE_SIZE)],
    [323, shorts(TILE_SIZE)],
    [324, offsets],
    [325, longs(...tiles.map(({ length }) => length))],
    [338, ofEachBand(0).subarray(1)], // ExtraSamples: of no colour
    [339, ofEachBand(3)], // SampleFormat: floating point
  ];
}

/** Keys of GeoTIFF 1.1, each with the value beside it: geographic, a pixel is an area, WGS 84, degrees. */
const GEO_KEYS = [
  [1024, 2],
  [1025, 1],
  [2048, 4326],
  [2054, 9102],
];

function georeferenceFields({ cells }: Surface, { grid }: PredictorData): Field[] {
  const { stepsPerDegree, latitudes, longitudes } = grid.index;
  // The first edge of a lattice has as many decimals as the coordinates of its points.
  const firstEdge = (degrees: Float64Array) => Number((degrees[0] - 0.5 / stepsPerDegree).toFixed(5));
  const west = firstEdge(longitudes) + cells.west / stepsPerDegree;
  const north = firstEdge(latitudes) + (cells.north + 1) / stepsPerDegree;
  const keys = GEO_KEYS.flatMap(([key, value]) => [key, 0, 1, value]);
  return [
    [33550, doubles(1 / stepsPerDegree, 1 / stepsPerDegree, 0)], // ModelPixelScale
    [33922, doubles(0, 0, 0, west, north, 0)], // ModelTiepoint: the north-western corner
    [34735, shorts(1, 1, 1, GEO_KEYS.length, ...keys)], // GeoKeyDirectory
  ];
}

/** The metadata of the file and the names of its bands, as GDAL reads them. */
function metadataField({ species, assumed }: Surface, data: PredictorData, bands: readonly string[]): Field {
  const { manifest, modelDigest } = data;
  const items = [
    ['species_code', data.species[species].species_code],
    ['model_version', manifest.version],
    ['model_digest', modelDigest],
    ['outcomes', manifest.outcomes],
    ['caution', manifest.caution],
    ...assumptionsOf(data).map(({ name, default: value = 0 }) => [name, assumed[name] ?? value]),
  ];
  const xml = [
    ...items.map(([name, value]) => `<Item name="${name}">${escaped(String(value))}</Item>`),
    ...bands.map((name, i) => `<Item name="DESCRIPTION" sample="${i}" role="description">${name}</Item>`),
  ];
  return [42112, ascii(`<GDALMetadata>${xml.join('')}</GDALMetadata>`)];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The bytes of a field's values, rounded up to a whole word. */
const valueBytes = ([, values]: Field) => 2 * Math.ceil(values.byteLength / 2);

function directoryBytes(fields: readonly Field[]): number {
  const values = fields.map(valueBytes).filter((bytes) => bytes > INLINE_BYTES);
  return FRAME_BYTES + FIELD_BYTES * fields.length + values.reduce((sum, bytes) => sum + bytes, 0);
}

/** Writes a directory with its values after it. @param next where the next one is; 0 after the last */
function writeDirectory(file: Buffer, start: number, fields: readonly Field[], next: number): void {
  file.writeUInt16LE(fields.length, start);
  let valuesAt = start + FRAME_BYTES + FIELD_BYTES * fields.length;
  fields.forEach((field, i) => {
    const [tag, values] = field;
    const { buffer, byteOffset, byteLength } = values;
    const at = start + 2 + FIELD_BYTES * i;
    const isInline = valueBytes(field) <= INLINE_BYTES;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(TYPES[values[Symbol.toStringTag]], at + 2);
    file.writeUInt32LE(values.length, at + 4);
    if (!isInline) file.writeUInt32LE(valuesAt, at + 8);
    file.set(new Uint8Array(buffer, byteOffset, byteLength), isInline ? at + 8 : valuesAt);
    if (!isInline) valuesAt += valueBytes(field);
  });
  file.writeUInt32LE(next, start + 2 + FIELD_BYTES * fields.length);
}
