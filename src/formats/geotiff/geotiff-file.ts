import type { PointIndex } from '../../prediction/artefacts/point-index.js';
import { levelsOf, type Raster, type RasterLevel, TILE_SIZE } from './raster.js';

/** What a file says of itself, as GDAL shows it. */
export interface RasterMetadata {
  /** The descriptions of the bands. */
  readonly bands: readonly string[];
  readonly items: readonly (readonly [name: string, value: string | number])[];
}

/** The types of fields, with the bytes of a value. */
const TYPES = {
  ascii: { code: 2, bytes: 1 },
  short: { code: 3, bytes: 2 },
  long: { code: 4, bytes: 4 },
  double: { code: 12, bytes: 8 },
} as const;

/** A field of a directory, which describes an image of the file. */
type Field = readonly [tag: number, type: keyof typeof TYPES, values: readonly number[]];

const COORDINATE_DECIMALS = 5;

const HEADER_BYTES = 8;
const FIELD_BYTES = 12;
/** The number of fields, and where the next directory is. */
const FRAME_BYTES = 2 + 4;
/** Fewer bytes of values stand in the field itself. */
const INLINE_BYTES = 4;

/**
 * A cloud-optimized GeoTIFF in EPSG:4326, band by band: the directories of all levels, then the tiles of the overviews,
 * the smallest first, and those at full resolution.
 * @param tiles of each level, in the order of `tilesOf`
 */
export function geoTiffFile(
  raster: Raster,
  index: PointIndex,
  metadata: RasterMetadata,
  tiles: readonly (readonly Uint8Array[])[],
): Buffer<ArrayBuffer> {
  const levels = levelsOf(raster);
  const directories = levels.map((level, i) => {
    const georeference = i === 0 ? georeferenceFields(raster, index, metadata) : [];
    const lengths = tiles[i].map(({ length }) => length);
    return (offsets: readonly number[]): Field[] => [
      ...imageFields(level, metadata.bands.length, offsets, lengths),
      ...georeference,
      [42113, 'ascii', ascii('nan')], // GDAL_NODATA
    ];
  });
  let end = HEADER_BYTES;
  const starts = directories.map((fieldsAt, i) => {
    const start = end;
    end += directoryBytes(fieldsAt(tiles[i].map(() => 0)));
    return start;
  });
  const offsets = tiles
    .toReversed()
    .map((ofLevel) =>
      ofLevel.map(({ length }) => {
        end += length;
        return end - length;
      }),
    )
    .reverse();
  const file = Buffer.alloc(end);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(HEADER_BYTES, 4);
  directories.forEach((fieldsAt, i) => {
    writeDirectory(file, starts[i], fieldsAt(offsets[i]), starts[i + 1] ?? 0);
    for (const [t, tile] of tiles[i].entries()) file.set(tile, offsets[i][t]);
  });
  return file;
}

/** The fields of an image, in the order of their tags. */
function imageFields(
  { scale, width, height }: RasterLevel,
  bands: number,
  offsets: readonly number[],
  lengths: readonly number[],
): Field[] {
  const ofEachBand = (value: number) => Array<number>(bands).fill(value);
  return [
    [254, 'long', [scale === 1 ? 0 : 1]], // NewSubfileType: 1 is of reduced resolution
    [256, 'long', [width]],
    [257, 'long', [height]],
    [258, 'short', ofEachBand(32)], // BitsPerSample
    [259, 'short', [8]], // Compression: DEFLATE
    [262, 'short', [1]], // PhotometricInterpretation: black is 0
    [277, 'short', [bands]], // SamplesPerPixel
    [284, 'short', [2]], // PlanarConfiguration: band by band
    [317, 'short', [3]], // Predictor: floating point
    [322, 'short', [TILE_SIZE]],
    [323, 'short', [TILE_SIZE]],
    [324, 'long', offsets],
    [325, 'long', lengths],
    [338, 'short', ofEachBand(0).slice(1)], // ExtraSamples: of no colour
    [339, 'short', ofEachBand(3)], // SampleFormat: floating point
  ];
}

/** Keys of GeoTIFF 1.1, each with the value beside it: geographic, a pixel is an area, WGS 84, degrees. */
const GEO_KEYS = [
  [1024, 2],
  [1025, 1],
  [2048, 4326],
  [2054, 9102],
];

function georeferenceFields(raster: Raster, index: PointIndex, { bands, items }: RasterMetadata): Field[] {
  const { stepsPerDegree, latitudes, longitudes } = index;
  const west = firstEdge(longitudes, stepsPerDegree) + raster.west / stepsPerDegree;
  const north = firstEdge(latitudes, stepsPerDegree) + (raster.north + 1) / stepsPerDegree;
  const keys = GEO_KEYS.flatMap(([key, value]) => [key, 0, 1, value]);
  const xml = [
    ...items.map(([name, value]) => `<Item name="${name}">${escaped(String(value))}</Item>`),
    ...bands.map((name, i) => `<Item name="DESCRIPTION" sample="${i}" role="description">${name}</Item>`),
  ];
  return [
    [33550, 'double', [1 / stepsPerDegree, 1 / stepsPerDegree, 0]], // ModelPixelScale
    [33922, 'double', [0, 0, 0, west, north, 0]], // ModelTiepoint: the north-western corner
    [34735, 'short', [1, 1, 1, GEO_KEYS.length, ...keys]], // GeoKeyDirectory
    [42112, 'ascii', ascii(`<GDALMetadata>${xml.join('')}</GDALMetadata>`)],
  ];
}

/** The first edge of a lattice, which has as many decimals as the coordinates of its points. */
function firstEdge(degrees: Float64Array, stepsPerDegree: number): number {
  return Number((degrees[0] - 0.5 / stepsPerDegree).toFixed(COORDINATE_DECIMALS));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A text as a value: its UTF-8, ended by a zero. */
function ascii(text: string): readonly number[] {
  return [...Buffer.from(`${text}\0`)];
}

/** The bytes of a field's values, rounded up to a whole word. */
const valueBytes = ([, type, values]: Field) => 2 * Math.ceil((TYPES[type].bytes * values.length) / 2);

function directoryBytes(fields: readonly Field[]): number {
  const values = fields.map(valueBytes).filter((bytes) => bytes > INLINE_BYTES);
  return FRAME_BYTES + FIELD_BYTES * fields.length + values.reduce((sum, bytes) => sum + bytes, 0);
}

/** Writes a directory with its values after it. @param next where the next one is; 0 after the last */
function writeDirectory(file: Buffer, start: number, fields: readonly Field[], next: number): void {
  file.writeUInt16LE(fields.length, start);
  let valuesAt = start + FRAME_BYTES + FIELD_BYTES * fields.length;
  fields.forEach((field, i) => {
    const [tag, type, values] = field;
    const at = start + 2 + FIELD_BYTES * i;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(TYPES[type].code, at + 2);
    file.writeUInt32LE(values.length, at + 4);
    const isInline = valueBytes(field) <= INLINE_BYTES;
    if (!isInline) file.writeUInt32LE(valuesAt, at + 8);
    writeValues(file, isInline ? at + 8 : valuesAt, type, values);
    if (!isInline) valuesAt += valueBytes(field);
  });
  file.writeUInt32LE(next, start + 2 + FIELD_BYTES * fields.length);
}

function writeValues(file: Buffer, at: number, type: Field[1], values: readonly number[]): void {
  const { bytes } = TYPES[type];
  values.forEach((value, i) => {
    if (type === 'double') file.writeDoubleLE(value, at + i * bytes);
    else file.writeUIntLE(value, at + i * bytes, bytes);
  });
}
