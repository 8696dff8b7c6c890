import {
  Bool,
  type Data,
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
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { CollectingSink } from '../response/collecting-sink.js';
import { SURVIVAL_COLUMNS, type Surface } from './surface.js';
import { surfaceFields } from './surface-json.js';
import { isNative } from './text-columns.js';

/** Points of a record batch: what is made in one go. */
const BATCH_POINTS = 8192;

/** Of the dictionary of regions; one that the library chooses would make the bytes differ from answer to answer. */
const REGION_ID = 0;

const TEN_THOUSAND = 10_000;

/** A surface as an Arrow stream, in parts. */
export function* surfaceArrow(surface: Surface): Generator<Uint8Array> {
  const sink = new CollectingSink();
  const writer = new RecordBatchStreamWriter();
  writer.reset(sink);
  for (const batch of surfaceBatches(surface)) {
    writer.write(batch);
    yield sink.take();
  }
  writer.finish();
  yield sink.take();
}

/** A surface as Arrow record batches, at least one. What the JSON says beside its columns is in the metadata of the schema. */
function* surfaceBatches(surface: Surface): Generator<RecordBatch> {
  const { grid, manifest } = surface.artefacts;
  const region = new Dictionary(new Utf8(), new Int32(), REGION_ID);
  const dictionary = vectorFromArray([...grid.regions], new Utf8());
  const schema = new Schema(
    [
      new Field('longitude', new Float64()),
      new Field('latitude', new Float64()),
      new Field('elevation_m', new Float32()),
      new Field('region', region),
      new Field('in_native_range', new Bool()),
      ...SURVIVAL_COLUMNS.map((name) => new Field(name, new Float32())),
    ],
    new Map(
      Object.entries({ ...surfaceFields(surface), model: modelOf(manifest) }).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  );
  const { longitudes, latitudes, row, column } = grid.index;
  const { points, survival } = surface;
  for (let from = 0; from === 0 || from < points.length; from += BATCH_POINTS) {
    const length = Math.min(BATCH_POINTS, points.length - from);
    const native = new Uint8Array(Math.ceil(length / 8));
    for (let i = 0; i < length; i++) native[i >> 3] |= isNative(surface, from + i) << (i & 7);
    /** Of the points of the batch. */
    const values = <Column extends Float32Array | Float64Array | Int32Array>(
      data: Column,
      valueAtPoint: (point: number) => number,
    ): Column => {
      for (let i = 0; i < length; i++) data[i] = valueAtPoint(points[from + i]);
      return data;
    };
    const east = values(new Float64Array(length), (point) => longitudes[column[point]]);
    const north = values(new Float64Array(length), (point) => latitudes[row[point]]);
    const elevation = values(new Float32Array(length), (point) => valueAt(grid.columns.elevation, point));
    const regions = values(new Int32Array(length), (point) => grid.region[point]);
    const children: Data[] = [
      makeData({ type: new Float64(), length, data: east }),
      makeData({ type: new Float64(), length, data: north }),
      makeData({ type: new Float32(), length, data: elevation }),
      makeData({ type: region, length, dictionary, data: regions }),
      makeData({ type: new Bool(), length, data: native }),
      ...SURVIVAL_COLUMNS.map((_, number) => {
        const start = number * points.length + from;
        const data = new Float32Array(length);
        for (let i = 0; i < length; i++) data[i] = survival[start + i] / TEN_THOUSAND;
        return makeData({ type: new Float32(), length, data });
      }),
    ];
    yield new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children }));
  }
}
