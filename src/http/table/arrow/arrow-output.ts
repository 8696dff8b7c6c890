import {
  AsyncByteQueue,
  type Data,
  Dictionary,
  Field,
  Float32,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow';
import { modelOf } from '../../../prediction/artefacts/manifest.js';
import { HORIZONS } from '../../../prediction/dimensions.js';
import type { ErrorCode } from '../../errors/api-error.js';
import { ERROR_COLUMNS, horizonColumns, horizonsOf, PLACE_COLUMNS } from '../columns.js';
import type { RunOutcomes } from '../run-outcomes.js';
import type { TableContext, TableRequest } from '../table-contract.js';
import type { TableOutput } from '../table-output.js';
import type { TableSource, UploadedRows } from '../table-source.js';
import { toLatin1 } from '../text/latin1.js';
import { HorizonColumns, TextList } from './answer-columns.js';
import { NumberColumn, TextColumn } from './column-builders.js';

/** The codes that a row's error may have. */
const ROW_ERROR_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_species',
  'invalid_method',
  'outside_coverage',
  'no_nearby_data',
  'elevation_mismatch',
];

const COORDINATE_SCALE = 1e5;
const METRES_PER_KM = 1000;

/** Writes answers as an Arrow stream: each part of a run is a record batch. The dictionaries precede the first. */
export class ArrowOutput implements TableOutput {
  readonly #sink = new CollectingSink();
  readonly #writer = new RecordBatchStreamWriter();
  readonly #schema: Schema;
  readonly #regions: TextList;
  readonly #factors: TextList;
  readonly #codes: TextList;
  readonly #horizons: readonly number[];

  constructor(
    source: TableSource,
    private readonly artefacts: TableContext['artefacts'],
    private readonly request: TableRequest,
  ) {
    const { manifest, grid } = artefacts;
    const uploaded = source.arrowFields();
    const used = new Set(uploaded.map(({ type }) => (type instanceof Dictionary ? type.id : -1)));
    let firstId = 0;
    while (used.has(firstId) || used.has(firstId + 1) || used.has(firstId + 2)) firstId++;
    this.#regions = new TextList(grid.regions, firstId);
    this.#factors = new TextList(
      manifest.features.map(({ label }) => label),
      firstId + 1,
    );
    this.#codes = new TextList(ROW_ERROR_CODES, firstId + 2);
    this.#horizons = horizonsOf(request.horizons);
    const model = JSON.stringify({ ...modelOf(manifest), outcomes: manifest.outcomes });
    const metadata = new Map([...source.arrowMetadata(), ['model', model]]);
    this.#schema = new Schema([...uploaded, ...this.#ourFields()], metadata);
  }

  head(): Uint8Array {
    this.#writer.reset(this.#sink, this.#schema);
    return this.#sink.take();
  }

  encode(rows: UploadedRows, outcomes: RunOutcomes): Uint8Array {
    let from = 0;
    for (const { rowCount, columns } of rows.arrowParts()) {
      const children = [...columns, ...this.#ourColumns(outcomes, from, rowCount)];
      const type = new Struct(this.#schema.fields);
      const data = makeData({ type, length: rowCount, nullCount: 0, children: children as Data[] });
      this.#writer.write(new RecordBatch(this.#schema, data));
      from += rowCount;
    }
    return this.#sink.take();
  }

  tail(): Uint8Array {
    this.#writer.finish();
    return this.#sink.take();
  }

  #ourFields(): Field[] {
    const [latitude, longitude, distance, region] = PLACE_COLUMNS;
    const [code, message] = ERROR_COLUMNS;
    const float32 = new Float32();
    const ofHorizons = this.#horizons.flatMap((h) =>
      horizonColumns(HORIZONS[h], this.request.intervals).map(
        (name) => new Field(name, name.startsWith('factor_') ? this.#factors.type : float32, true),
      ),
    );
    return [
      new Field(latitude, new Float64(), true),
      new Field(longitude, new Float64(), true),
      new Field(distance, new Float64(), true),
      new Field(region, this.#regions.type, true),
      ...ofHorizons,
      new Field(code, this.#codes.type, true),
      new Field(message, new Utf8(), true),
    ];
  }

  /** Our columns of `count` rows of a run. */
  #ourColumns({ records, recordOf, methods, errors }: RunOutcomes, from: number, count: number): Data[] {
    const { index, region: regionOf } = this.artefacts.grid;
    const latitude = new NumberColumn(count);
    const longitude = new NumberColumn(count);
    const distance = new NumberColumn(count);
    const region = this.#regions.column(count);
    const horizons = this.#horizons.map(
      (h) => new HorizonColumns(h, count, this.request.intervals, this.#factors),
    );
    const code = this.#codes.column(count);
    const message = new TextColumn(count);
    const ours = [latitude, longitude, distance, region, ...horizons.flatMap(({ columns }) => columns)];
    for (let row = 0; row < count; row++) {
      const record = recordOf[from + row];
      const error = errors.get(from + row);
      if (error !== undefined) {
        for (const column of ours) column.clear(row);
        code.indexes[row] = ROW_ERROR_CODES.indexOf(error.code);
        message.set(row, toLatin1(error.message));
        continue;
      }
      code.clear(row);
      message.clear(row);
      const point = records.point(record);
      latitude.values[row] = degrees(index.latitudes[index.row[point]]);
      longitude.values[row] = degrees(index.longitudes[index.column[point]]);
      distance.values[row] = records.distanceM(record) / METRES_PER_KM;
      region.indexes[row] = regionOf[point];
      for (const horizon of horizons) horizon.set(row, records, record, methods[from + row]);
    }
    return [...ours, code, message].map((column) => column.data());
  }
}

function degrees(value: number): number {
  return Math.round(value * COORDINATE_SCALE) / COORDINATE_SCALE;
}

/** Collects what a writer writes, at once: the queue of the library is read asynchronously. */
class CollectingSink extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#chunks = [];
    return bytes;
  }
}
