import { Field, Int32, Schema } from 'apache-arrow';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Predictor } from '../../prediction/predictor.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { END_OF_STREAM, OutputTypes, writeStream } from '../arrow/stream-writer.js';
import {
  type OutputColumn,
  SURFACE_COLUMNS,
  type SurfaceRows,
  textListsOf,
} from '../table/output-columns.js';
import { columnsWriter, RowWriter } from '../text/row-writer.js';
import { csvFormat, GEOJSON_FEATURES, JSON_ELEMENTS, type TextFormat } from '../text/text-formats.js';
import { type Surface, surfaceFields } from './surface.js';

/** Where a chunk of an answer begins: in a section of its text, and at a point. */
export interface ChunkStart {
  readonly section: number;
  readonly from: number;
}

export interface SurfaceChunk {
  /** In memory of its own: at most SURFACE_CHUNK_BYTES in any format. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the next chunk begins; undefined after the last one. */
  readonly next: ChunkStart | undefined;
}

type Encoder = (surface: Surface, data: PredictorData, start: ChunkStart) => SurfaceChunk;

const ENCODERS = {
  'application/json': textEncoder(jsonSections),
  'application/geo+json': textEncoder(geoJsonSections),
  'text/csv': textEncoder(csvSections),
  'application/vnd.apache.arrow.stream': encodeArrow,
} as const satisfies Record<string, Encoder>;

export function writeChunk(
  { surface, type, start }: Readonly<{ surface: Surface; type: StreamedType; start: ChunkStart }>,
  { data }: Predictor,
): SurfaceChunk {
  return ENCODERS[type](surface, data, start);
}

/** The media types whose bytes are written in chunks. */
export type StreamedType = keyof typeof ENCODERS;

export const TIFF_TYPE = 'image/tiff';

export type SurfaceType = StreamedType | typeof TIFF_TYPE;

/** The media types by the word of the query that asks for them; the default first. */
export const SURFACE_FORMATS = {
  json: 'application/json',
  geojson: 'application/geo+json',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
  tif: TIFF_TYPE,
} as const satisfies Record<string, SurfaceType>;

export type SurfaceFormat = keyof typeof SURFACE_FORMATS;

export const SURFACE_TYPES = Object.values(SURFACE_FORMATS) as [SurfaceType, ...SurfaceType[]];

const TEXT_CHUNK_VALUES = 2 ** 13;
const BATCH_POINTS = 8192;

/** What a chunk takes at most: 8192 points of Arrow, or 750 features of some 400 bytes. */
export const SURFACE_CHUNK_BYTES = 2 ** 19;

/** The points [from, end) of a surface. */
function rowsOf(surface: Surface, { grid }: PredictorData, from: number, end: number): SurfaceRows {
  const { species, values, points } = surface;
  return { grid, species, values, count: points.length, from, points: points.subarray(from, end) };
}

function textEncoder(sectionsOf: (surface: Surface, data: PredictorData) => TextSection[]): Encoder {
  return (surface, data, { section, from }) => {
    const { points } = surface;
    const sections = sectionsOf(surface, data);
    const { head, columns, format, tail } = sections[section];
    const writer = new RowWriter();
    if (from === 0) writer.writeText(head);
    const end = Math.min(points.length, from + Math.ceil(TEXT_CHUNK_VALUES / columns.length));
    const rows = rowsOf(surface, data, from, end);
    const writeRow = columnsWriter(columns, format, textListsOf(data))(writer, rows, end - from);
    for (let row = 0; row < end - from; row++) writeRow(row);
    if (end < points.length) return { bytes: writer.written(), next: { section, from: end } };
    if (end > from && format.after.endsWith(',')) writer.length--;
    writer.writeText(tail);
    const isLast = section === sections.length - 1;
    return { bytes: writer.written(), next: isLast ? undefined : { section: section + 1, from: 0 } };
  };
}

/** The id of the dictionary of regions; one that the library chooses would differ from answer to answer. */
const REGION_ID = 0;

/** Writes a chunk of an Arrow stream. The other fields of the JSON are in the metadata of the schema. */
function encodeArrow(surface: Surface, data: PredictorData, { from }: ChunkStart): SurfaceChunk {
  const columns = SURFACE_COLUMNS;
  const types = new OutputTypes(textListsOf(data), { regions: REGION_ID }, new Int32());
  const fields = columns.map((column) => new Field(column.name, types.typeOf(column)));
  const metadata = Object.entries(surfaceFields(surface, data)).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const schema = new Schema(fields, new Map(metadata));
  const end = Math.min(from + BATCH_POINTS, surface.points.length);
  const rows = rowsOf(surface, data, from, end);
  const read = columns.map((column) => types.read(column, rows, end - from).data());
  const bytes = writeStream(schema, read, from > 0 ? types.dictionaries : undefined);
  if (end < surface.points.length) return { bytes, next: { section: 0, from: end } };
  return { bytes: new Uint8Array(Buffer.concat([bytes, END_OF_STREAM])), next: undefined };
}

/** Rows of a surface in some columns, and the text around them. */
interface TextSection {
  readonly head: string;
  readonly columns: readonly OutputColumn<SurfaceRows>[];
  readonly format: TextFormat;
  /** What follows the rows, instead of the comma after the last one. */
  readonly tail: string;
}

function csvSections(): TextSection[] {
  const columns = SURFACE_COLUMNS;
  const format = csvFormat('\r\n');
  return [{ head: columns.map(({ name }) => name).join() + format.after, columns, format, tail: '' }];
}

function geoJsonSections(surface: Surface, data: PredictorData): TextSection[] {
  const empty = { type: 'FeatureCollection', ...surfaceFields(surface, data), features: [] };
  const [head, tail] = aroundArrays(empty);
  return [{ head, columns: SURFACE_COLUMNS, format: GEOJSON_FEATURES, tail }];
}

/** A surface as a JSON object of columns, those of survival by method and horizon: a section for each column. */
function jsonSections(surface: Surface, data: PredictorData): TextSection[] {
  const { model, ...fields } = surfaceFields(surface, data);
  const ofPoints = SURFACE_COLUMNS.slice(0, -PLANTING_METHODS.length * HORIZONS.length);
  const columns = Object.fromEntries(ofPoints.map(({ name }) => [name, []]));
  const byHorizon = Object.fromEntries(HORIZONS.map((years) => [years, []]));
  const survival = Object.fromEntries(PLANTING_METHODS.map((method) => [method, byHorizon]));
  const [first, ...others] = aroundArrays({ ...fields, ...columns, survival, model });
  return SURFACE_COLUMNS.map((column, i) => ({
    head: i === 0 ? first : '',
    columns: [column],
    format: JSON_ELEMENTS,
    tail: others[i],
  }));
}

/** The JSON of a value around the elements of its empty arrays. */
function aroundArrays(value: object): string[] {
  return JSON.stringify(value).split(/(?<="\w+":\[)(?=\])/);
}
