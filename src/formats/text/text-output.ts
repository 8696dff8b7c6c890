import { HORIZONS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import type { ErrorObject } from '../../prediction/errors/api-error.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import { type Fragment, fragment, NUMBER_BYTES, WORD_BYTES } from '../json/json-writer.js';
import { ERROR_COLUMNS, horizonColumns, horizonsOf, ourColumns, PLACE_COLUMNS } from '../table/columns.js';
import type { RunOutcomes } from '../table/run-outcomes.js';
import type { EncodedRows, TableRequest } from '../table/table-contract.js';
import { PIECE_BYTES, type TableOutput } from '../table/table-output.js';
import type { JobRows, UploadedRows } from '../table/table-source.js';
import { RowWriter } from './row-writer.js';

/** A format of text: how it writes rows. */
export interface TextFormat {
  /** What the answer begins with. */
  readonly head: string;
  /** Writes the uploaded columns of a row. */
  writeUploaded(rows: UploadedRows, writer: RowWriter, row: number): void;
  /** What comes before the value of a column of ours. */
  before(name: string): string;
  /** A text as a value. */
  text(value: string): string;
  /** The value of a column that has none. */
  readonly nothing: string;
  /** What comes after the last value of a row. */
  readonly after: string;
}

/** The text before each value of a horizon. */
interface HorizonFragments {
  /** Index into HORIZONS. */
  readonly h: number;
  readonly survival: Fragment;
  /** By rank and feature: the column of the factor, and the text before its contribution. */
  readonly factors: readonly (readonly Fragment[])[];
  /** Ends of the interval; undefined without intervals. */
  readonly low: Fragment | undefined;
  readonly high: Fragment | undefined;
}

const COORDINATE_SCALE = 1e5;
const [MATCHED_LATITUDE, MATCHED_LONGITUDE, DISTANCE, REGION] = PLACE_COLUMNS;

/** Writes answers as text: the uploaded columns and then ours. */
export class TextOutput implements TableOutput {
  readonly #writer = new RowWriter();
  readonly #latitude: Fragment;
  readonly #longitude: Fragment;
  readonly #distance: Fragment;
  /** By region. */
  readonly #region: readonly Fragment[];
  readonly #horizons: readonly HorizonFragments[];
  /** What follows the last number of a row that has an answer. */
  readonly #end: Fragment;
  /** Our columns of a row that has none, up to its error. */
  readonly #unanswered: string;
  /** Most bytes of our columns in a row that has an answer. */
  readonly #capacity: number;

  constructor(
    private readonly format: TextFormat,
    private readonly artefacts: GenerationData['artefacts'],
    { horizons, intervals }: TableRequest,
  ) {
    const { regions } = artefacts.grid;
    const labels = artefacts.manifest.features.map(({ label }) => label);
    const before = (name: string) => fragment(format.before(name));
    this.#latitude = before(MATCHED_LATITUDE);
    this.#longitude = before(MATCHED_LONGITUDE);
    this.#distance = before(DISTANCE);
    this.#region = regions.map((region) => fragment(format.before(REGION) + format.text(region)));
    this.#horizons = horizonsOf(horizons).map((h) => {
      const [survival, ...others] = horizonColumns(HORIZONS[h], intervals);
      const factors = Array.from({ length: RISK_FACTOR_COUNT }, (_, rank) => {
        const [factor, contribution] = others.slice(2 * rank).map(format.before);
        return labels.map((label) => fragment(factor + format.text(label) + contribution));
      });
      const [low, high] = others.slice(2 * RISK_FACTOR_COUNT).map(before);
      return { h, survival: before(survival), factors, low, high };
    });
    const empty = (name: string) => format.before(name) + format.nothing;
    this.#end = fragment(ERROR_COLUMNS.map(empty).join('') + format.after);
    const columns = ourColumns(horizons, intervals);
    this.#unanswered = columns.slice(0, -ERROR_COLUMNS.length).map(empty).join('');
    const bytesOf = (text: string) => Buffer.byteLength(text) + WORD_BYTES;
    const longestText = Math.max(...[...regions, ...labels].map((text) => bytesOf(format.text(text))));
    this.#capacity = columns.reduce((sum, name) => sum + bytesOf(format.before(name)), 0);
    this.#capacity += columns.length * (NUMBER_BYTES + longestText);
  }

  head(): Uint8Array {
    return Buffer.from(this.format.head);
  }

  tail(): Uint8Array {
    return new Uint8Array(0);
  }

  encode(rows: JobRows, outcomes: RunOutcomes): EncodedRows {
    const writer = this.#writer;
    writer.start();
    const { length } = outcomes.recordOf;
    let row = 0;
    for (; row < length && writer.length <= PIECE_BYTES; row++) {
      this.format.writeUploaded(rows, writer, row);
      const error = outcomes.errors.get(row);
      if (error === undefined) this.#writeAnswer(outcomes, row);
      else this.#writeError(error);
    }
    return { bytes: writer.written(), rowCount: row };
  }

  #writeAnswer({ records, recordOf, methods }: RunOutcomes, row: number): void {
    const writer = this.#writer;
    const record = recordOf[row];
    const method = methods[row];
    const { index, region } = this.artefacts.grid;
    const point = records.point(record);
    writer.reserve(this.#capacity);
    writer.write(this.#latitude);
    writer.writeDecimal(Math.round(index.latitudes[index.row[point]] * COORDINATE_SCALE), 5);
    writer.write(this.#longitude);
    writer.writeDecimal(Math.round(index.longitudes[index.column[point]] * COORDINATE_SCALE), 5);
    writer.write(this.#distance);
    writer.writeDecimal(records.distanceM(record), 3);
    writer.write(this.#region[region[point]]);
    for (const { h, survival, factors, low, high } of this.#horizons) {
      writer.write(survival);
      writer.writeTenThousandths(records.survival(record, method, h));
      for (let rank = 0; rank < RISK_FACTOR_COUNT; rank++) {
        writer.write(factors[rank][records.riskFactor(record, method, h, rank)]);
        writer.writeDecimal(records.contribution(record, method, h, rank), 4);
      }
      if (low === undefined || high === undefined) continue;
      writer.write(low);
      writer.writeDecimal(records.low(record, method, h), 4);
      writer.write(high);
      writer.writeDecimal(records.high(record, method, h), 4);
    }
    writer.write(this.#end);
  }

  #writeError({ code, message }: ErrorObject): void {
    const { format } = this;
    const [codeColumn, messageColumn] = ERROR_COLUMNS;
    this.#writer.writeText(
      this.#unanswered +
        format.before(codeColumn) +
        format.text(code) +
        format.before(messageColumn) +
        format.text(message) +
        format.after,
    );
  }
}
