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
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { HORIZONS } from '../../prediction/dimensions.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import { ERROR_COLUMNS, horizonColumns, horizonsOf, PLACE_COLUMNS } from '../table/columns.js';
import type { RunOutcomes } from '../table/run-outcomes.js';
import type { EncodedRows, TableRequest } from '../table/table-contract.js';
import { PIECE_BYTES, type TableOutput } from '../table/table-output.js';
import type { JobRows, TableSource } from '../table/table-source.js';
import { CollectingSink } from '../text/collecting-sink.js';
import { AnswerColumns, ROW_ERROR_CODES } from './answer-columns.js';
import { TextList } from './column-builders.js';
import { HorizonColumns } from './horizon-columns.js';

/**
 * Writes answers as an Arrow stream: each part of a job is a record batch. The dictionaries precede the first;
 * that of the messages precedes each part that has any.
 */
export class ArrowOutput implements TableOutput {
  readonly #sink = new CollectingSink();
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
    this.#begin();
    return this.#sink.take();
  }

  encode(rows: JobRows, outcomes: RunOutcomes, before: readonly Data[] | undefined): EncodedRows {
    const writer = this.#begin();
    this.#sink.take();
    this.#columns?.forgetMessages();
    // The dictionaries that were sent with the jobs before are not sent again.
    if (before !== undefined) {
      this.#write(writer, [...before, ...this.#ourColumns(outcomes, 0, 0)], 0);
      this.#sink.take();
    }
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let from = 0;
    for (const { rowCount, columns } of rows.arrowParts()) {
      this.#write(writer, [...columns, ...this.#ourColumns(outcomes, from, rowCount)], rowCount);
      parts.push(this.#sink.take()); // a copy: the next part uses the memory of our columns again
      from += rowCount;
      bytes += parts[parts.length - 1].length;
      if (bytes >= PIECE_BYTES) break;
    }
    return { bytes: joined(parts), rowCount: from };
  }

  tail(): Uint8Array {
    const writer = this.#begin();
    this.#sink.take();
    writer.finish();
    return this.#sink.take();
  }

  /** A writer that has written the schema, and no dictionary. */
  #begin(): RecordBatchStreamWriter {
    const writer = new RecordBatchStreamWriter();
    writer.reset(this.#sink, this.#schema);
    return writer;
  }

  /** Writes a record batch. */
  #write(writer: RecordBatchStreamWriter, children: Data[], length: number): void {
    const type = new Struct(this.#schema.fields);
    writer.write(new RecordBatch(this.#schema, makeData({ type, length, nullCount: 0, children })));
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

/** The bytes of all parts, in memory of their own. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
