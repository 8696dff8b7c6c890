import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  Float32,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { type Surface, surfaceFields } from '../../http/routes/surfaces/surface.js';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { CollectingSink } from '../text/collecting-sink.js';
import { type SurfaceColumn, surfaceColumns } from './surface-columns.js';

/** Points of a record batch: what is made in one go. */
const BATCH_POINTS = 8192;

/** The id of the dictionary of regions; one that the library chooses would differ from answer to answer. */
const REGION_ID = 0;

const TEN_THOUSAND = 10_000;

/** A column with its type in Arrow. */
interface ArrowColumn {
  readonly type: DataType;
  /** The values of the points at [from, from + length). */
  data(from: number, length: number): Data;
}

/** A surface as an Arrow stream, in parts: what its JSON says beside the columns is in the metadata of the schema. */
export function* surfaceArrow(surface: Surface): Generator<Uint8Array> {
  const columns = surfaceColumns(surface);
  const arrowColumns = columns.map(arrowColumn);
  const fields = columns.map(({ name }, index) => new Field(name, arrowColumns[index].type));
  const head = { ...surfaceFields(surface), model: modelOf(surface.artefacts.manifest) };
  const metadata = Object.entries(head).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const schema = new Schema(fields, new Map(metadata));
  const sink = new CollectingSink();
  const writer = new RecordBatchStreamWriter();
  writer.reset(sink);
  const count = surface.points.length;
  for (let from = 0; from === 0 || from < count; from += BATCH_POINTS) {
    const length = Math.min(BATCH_POINTS, count - from);
    const children = arrowColumns.map((column) => column.data(from, length));
    writer.write(new RecordBatch(schema, makeData({ type: new Struct(fields), length, children })));
    yield sink.take();
  }
  writer.finish();
  yield sink.take();
}

function arrowColumn({ kind, texts = [], value }: SurfaceColumn): ArrowColumn {
  const filled = <Values extends Float64Array | Float32Array | Int32Array>(
    data: Values,
    from: number,
    scale = 1,
  ): Values => {
    for (let i = 0; i < data.length; i++) data[i] = value(from + i) / scale;
    return data;
  };
  if (kind === 'degrees') {
    const type = new Float64();
    return { type, data: (from, length) => makeData({ type, data: filled(new Float64Array(length), from) }) };
  }
  if (kind === 'text') {
    const type = new Dictionary(new Utf8(), new Int32(), REGION_ID);
    const dictionary = vectorFromArray([...texts], new Utf8());
    const indexes = (from: number, length: number) => filled(new Int32Array(length), from);
    return {
      type,
      data: (from, length) => makeData({ type, length, dictionary, data: indexes(from, length) }),
    };
  }
  if (kind === 'flag') {
    const type = new Bool();
    const bits = (from: number, length: number) => {
      const data = new Uint8Array(Math.ceil(length / 8));
      for (let i = 0; i < length; i++) data[i >> 3] |= value(from + i) << (i & 7);
      return data;
    };
    return { type, data: (from, length) => makeData({ type, length, data: bits(from, length) }) };
  }
  const type = new Float32();
  const scale = kind === 'probability' ? TEN_THOUSAND : 1;
  return {
    type,
    data: (from, length) => makeData({ type, data: filled(new Float32Array(length), from, scale) }),
  };
}
