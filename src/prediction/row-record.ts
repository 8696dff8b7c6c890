import type { Drawn } from '../formats/json/detail-encoder.js';
import { BOTH_METHODS, HORIZONS, PLANTING_METHODS } from './dimensions.js';
import { IntervalQuantiles } from './intervals/interval-quantiles.js';
import { HORIZON_NUMBERS, PREDICTION_NUMBERS } from './model/prediction-numbers.js';
import { OPTION, type SiteRows } from './site-rows.js';

/*
 * Layout of a record, little endian: grid point, match distance in metres uint32; the reported numbers of each planting
 * method (see PREDICTION_NUMBERS) uint16; for each method and horizon the low and the high end of the interval, in
 * ten-thousandths, int16. What the row does not ask for is undefined.
 */
const DISTANCE_AT = 4;
const NUMBERS_AT = 8;
const METHOD_BYTES = 2 * PREDICTION_NUMBERS;
const INTERVALS_AT = NUMBERS_AT + PLANTING_METHODS.length * METHOD_BYTES;
const INTERVAL_BYTES = 4;

/** The size of the record of a row in bytes, also where the row failed. */
export const RECORD_BYTES = INTERVALS_AT + PLANTING_METHODS.length * HORIZONS.length * INTERVAL_BYTES;

const METRES_PER_KM = 1000;

const numberAt = (method: number, h: number) => NUMBERS_AT + method * METHOD_BYTES + 2 * h * HORIZON_NUMBERS;
const intervalAt = (method: number, h: number) =>
  INTERVALS_AT + (method * HORIZONS.length + h) * INTERVAL_BYTES;

/** Writes records: what the JSON of an answer reports, as integers. */
export class RowRecordWriter {
  readonly #quantiles: IntervalQuantiles;
  #memory: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));

  /** @param intervalLevel of the models; null where they have no intervals, and no row asks for them */
  constructor(intervalLevel: number | null) {
    this.#quantiles = new IntervalQuantiles(intervalLevel ?? 0);
  }

  /** Writes into `memory` from now on. */
  begin(memory: Uint8Array): void {
    if (memory === this.#memory) return;
    this.#memory = memory;
    this.#view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /**
   * Writes the record of a row at an offset of the memory.
   * @param numbers holds PREDICTION_NUMBERS values for each planting method, starting at `from`
   * @param drawn the row with its draws; used where it asks for intervals
   */
  write(
    at: number,
    rows: SiteRows,
    point: number,
    distanceKm: number,
    numbers: Uint16Array,
    from: number,
    drawn: Drawn,
  ): void {
    const view = this.#view;
    view.setUint32(at, point, true);
    view.setUint32(at + DISTANCE_AT, Math.round(distanceKm * METRES_PER_KM), true);
    for (let i = 0; i < PLANTING_METHODS.length * PREDICTION_NUMBERS; i++)
      view.setUint16(at + NUMBERS_AT + 2 * i, numbers[from + i], true);
    if ((rows.options[drawn.row] & OPTION.intervals) !== 0)
      this.#writeIntervals(at, rows.method[drawn.row], numbers, from, drawn);
  }

  #writeIntervals(at: number, asked: number, numbers: Uint16Array, from: number, { draws, row }: Drawn) {
    for (let method = 0; method < PLANTING_METHODS.length; method++) {
      if (asked !== method && asked !== BOTH_METHODS) continue;
      const ofMethod = draws[method];
      if (ofMethod === undefined) throw new Error(`no draws of method ${method}`);
      for (let h = 0; h < HORIZONS.length; h++) {
        const reported = numbers[from + method * PREDICTION_NUMBERS + h * HORIZON_NUMBERS];
        this.#quantiles.ofMethod(ofMethod, row, h, reported);
        this.#view.setInt16(at + intervalAt(method, h), this.#quantiles.low, true);
        this.#view.setInt16(at + intervalAt(method, h) + 2, this.#quantiles.high, true);
      }
    }
  }
}

/**
 * The outcomes of rows as records, in their order. Survival, contributions and interval ends are integers: the reported
 * number, which the JSON of an answer shows, is the integer divided by 10,000. Only what a row asked for is defined, and
 * nothing where its status is not `answered`. Methods, horizons and risk factors are indexes: into PLANTING_METHODS, into
 * HORIZONS, and from the largest magnitude (0) to the smallest.
 */
export class RowRecords {
  readonly #view: DataView;

  /**
   * @param status ROW_STATUS of each row
   * @param bytes RECORD_BYTES for each row
   */
  constructor(
    readonly status: Uint8Array,
    readonly bytes: Uint8Array,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Memory for so many rows. */
  static create(count: number): RowRecords {
    return new RowRecords(new Uint8Array(count), new Uint8Array(count * RECORD_BYTES));
  }

  get count(): number {
    return this.status.length;
  }

  /** The records of `count` rows from one on, in the same memory. */
  part(from: number, count: number): RowRecords {
    const bytes = this.bytes.subarray(from * RECORD_BYTES, (from + count) * RECORD_BYTES);
    return new RowRecords(this.status.subarray(from, from + count), bytes);
  }

  /** Index of the grid point that the row was matched to. */
  point(row: number): number {
    return this.#view.getUint32(row * RECORD_BYTES, true);
  }

  /** The reported distance to it in metres. */
  distanceM(row: number): number {
    return this.#view.getUint32(row * RECORD_BYTES + DISTANCE_AT, true);
  }

  /** The reported survival probability in ten-thousandths. */
  survival(row: number, method: number, h: number): number {
    return this.#view.getUint16(row * RECORD_BYTES + numberAt(method, h), true);
  }

  /** The feature of a risk factor, as an index into the features of the models. */
  riskFactor(row: number, method: number, h: number, rank: number): number {
    return this.#factorCode(row, method, h, rank) >> 1;
  }

  /** Its contribution in ten-thousandths: the reported magnitude with the sign of its impact. */
  contribution(row: number, method: number, h: number, rank: number): number {
    const at = row * RECORD_BYTES + numberAt(method, h) + 2 * (2 + 2 * rank);
    const magnitude = this.#view.getUint16(at, true);
    return (this.#factorCode(row, method, h, rank) & 1) === 0 ? magnitude : 0 - magnitude;
  }

  /** The low end of the interval in ten-thousandths, at most the survival. */
  low(row: number, method: number, h: number): number {
    return this.#view.getInt16(row * RECORD_BYTES + intervalAt(method, h), true);
  }

  /** The high end of the interval in ten-thousandths, at least the survival. */
  high(row: number, method: number, h: number): number {
    return this.#view.getInt16(row * RECORD_BYTES + intervalAt(method, h) + 2, true);
  }

  /** See `factorCode`. */
  #factorCode(row: number, method: number, h: number, rank: number): number {
    return this.#view.getUint16(row * RECORD_BYTES + numberAt(method, h) + 2 * (1 + 2 * rank), true);
  }
}
