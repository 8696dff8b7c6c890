import {
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
} from 'apache-arrow';
import { modelOf } from '../../../prediction/artefacts/manifest.js';
import { HORIZONS } from '../../../prediction/dimensions.js';
import { CollectingSink } from '../../response/collecting-sink.js';
import type { GenerationData } from '../../serving/per-generation.js';
import { ERROR_COLUMNS, horizonColumns, horizonsOf, PLACE_COLUMNS } from '../columns.js';
import type { RunOutcomes } from '../run-outcomes.js';
import type { Pieces, TableRequest } from '../table-contract.js';
import { PIECE_BYTES, type TableOutput } from '../table-output.js';
import type { TableSource, UploadedRows } from '../table-source.js';
import { AnswerColumns, ROW_ERROR_CODES } from './answer-columns.js';
import { TextList } from './column-builders.js';
import { HorizonColumns } from './horizon-columns.js';

/**
 * Writes answers as an Arrow stream: each part of a run is a record batch. The dictionaries precede the first;
 * that of the messages precedes each part that has any.
 */
export class ArrowOutput implements TableOutput {
  readonly #sink = new CollectingSink();
  readonly #writer = new RecordBatchStreamWriter();
  readonly #schema: Schema;
  readonly #regions: TextList;
  readonly #factors: TextList;
  readonly #codes: TextList;
  readonly #messages: Dictionary<Utf8, Int32>;
  readonly #horizons: readonly number[];
  #columns: AnswerColumns | undefined;

  constructor(
    source: TableSource,
    private readonly artefacts: GenerationData['artefacts'],
    private readonly request: TableRequest,
  ) {
    const { manifest, grid } = artefacts;
    const uploaded = source.arrowFields();
    const used = new Set(uploaded.map(({ type }) => (type instanceof Dictionary ? type.id : -1)));
    let firstId = 0;
    while ([0, 1, 2, 3].some((n) => used.has(firstId + n))) firstId++;
    this.#regions = new TextList(grid.regions, firstId);
    this.#factors = new TextList(
      manifest.features.map(({ label }) => label),
      firstId + 1,
    );
    this.#codes = new TextList(ROW_ERROR_CODES, firstId + 2);
    this.#messages = new Dictionary(new Utf8(), new Int32(), firstId + 3);
    this.#horizons = horizonsOf(request.horizons);
    const model = JSON.stringify({ ...modelOf(manifest), outcomes: manifest.outcomes });
    const metadata = new Map([...source.arrowMetadata(), ['model', model]]);
    this.#schema = new Schema([...uploaded, ...this.#ourFields()], metadata);
  }

  head(): Uint8Array {
    this.#writer.reset(this.#sink, this.#schema);
    return this.#sink.take();
  }

  *encode(rows: UploadedRows, outcomes: RunOutcomes): Pieces {
    let parts: Uint8Array[] = [];
    let bytes = 0;
    let from = 0;
    for (const { rowCount, columns } of rows.arrowParts()) {
      const children = [...columns, ...this.#ourColumns(outcomes, from, rowCount)];
      const type = new Struct(this.#schema.fields);
      const data = makeData({ type, length: rowCount, nullCount: 0, children: children as Data[] });
      this.#writer.write(new RecordBatch(this.#schema, data));
      parts.push(this.#sink.take()); // a copy: the next part uses the memory of our columns again
      from += rowCount;
      bytes += parts[parts.length - 1].length;
      if (bytes < PIECE_BYTES || from === outcomes.recordOf.length) continue;
      yield Buffer.concat(parts);
      parts = [];
      bytes = 0;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
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
      new Field(message, this.#messages, true),
    ];
  }

  /** Our columns of `count` rows of a run, in memory that the next ones use again. */
  #ourColumns(outcomes: RunOutcomes, from: number, count: number): Data[] {
    if (this.#columns === undefined || this.#columns.capacity < count) {
      const { intervals } = this.request;
      const horizons = this.#horizons.map((h) => new HorizonColumns(h, count, intervals, this.#factors));
      this.#columns = new AnswerColumns(count, this.#regions, horizons, this.#codes, this.#messages);
    }
    return this.#columns.fill(outcomes, this.artefacts.grid, from, count);
  }
}
