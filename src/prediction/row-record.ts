import { HORIZONS, PLANTING_METHODS } from './dimensions.js';
import { HORIZON_NUMBERS, PREDICTION_NUMBERS } from './model/prediction-numbers.js';
import { OPTION, type SiteRows } from './site-rows.js';

/** The numbers of a row: PREDICTION_NUMBERS for each planting method. */
const NUMBERS_PER_ROW = PLANTING_METHODS.length * PREDICTION_NUMBERS;

/** The ends of intervals of a row: low and high for each planting method and horizon. */
const ENDS_PER_ROW = PLANTING_METHODS.length * HORIZONS.length * 2;

const METRES_PER_KM = 1000;
/** Decimals of reported distances in km. */
export const DISTANCE_DECIMALS = 3;

/** Survival, contributions and ends of intervals are integers in records: what is reported times this. */
export const SCALE = 10_000;
export const SCALE_DECIMALS = 4;

/** Where the numbers of a prediction start among those of all rows. */
export function numbersAt(row: number, method: number, h: number): number {
  return row * NUMBERS_PER_ROW + method * PREDICTION_NUMBERS + h * HORIZON_NUMBERS;
}

/** Where the low end of an interval is among those of all rows; the high end follows. */
export function intervalAt(row: number, method: number, h: number): number {
  return row * ENDS_PER_ROW + 2 * (method * HORIZONS.length + h);
}

/**
 * The predictions for rows, which every format reports. Only what a row asked for is defined, and nothing where its status
 * is not `answered`. In the parameters, `method` is an index into PLANTING_METHODS, `h` an index into HORIZONS, and
 * `rank` counts risk factors from 0, the largest magnitude.
 */
export class RowRecords {
  private constructor(
    /** Uint8 [rows]: ROW_STATUS. */
    readonly status: Uint8Array,
    /** Int32 [rows]: the grid point that the row was matched to. */
    readonly points: Int32Array,
    /** Float64 [rows]: the great-circle distance to it. */
    readonly distancesKm: Float64Array,
    /** Uint16 [rows, methods, PREDICTION_NUMBERS]: what is reported. */
    readonly numbers: Uint16Array,
    /** Int16 [rows, methods, horizons, 2]: low and high end of each interval; empty where no row asks for intervals. */
    readonly intervals: Int16Array,
  ) {}

  /** Memory for the records of rows. @param status memory for their statuses */
  static create({ count, options }: SiteRows, status: Uint8Array = new Uint8Array(count)): RowRecords {
    const hasIntervals = options.some((each) => (each & OPTION.intervals) !== 0);
    return new RowRecords(
      status,
      new Int32Array(count),
      new Float64Array(count),
      new Uint16Array(count * NUMBERS_PER_ROW),
      new Int16Array(hasIntervals ? count * ENDS_PER_ROW : 0),
    );
  }

  /** The records of rows [from, from + count), in the same memory. */
  slice(from: number, count: number): RowRecords {
    const end = from + count;
    return new RowRecords(
      this.status.subarray(from, end),
      this.points.subarray(from, end),
      this.distancesKm.subarray(from, end),
      this.numbers.subarray(from * NUMBERS_PER_ROW, end * NUMBERS_PER_ROW),
      this.intervals.subarray(from * ENDS_PER_ROW, end * ENDS_PER_ROW),
    );
  }

  /** The reported distance to the matched point in metres. */
  distanceM(row: number): number {
    return Math.round(this.distancesKm[row] * METRES_PER_KM);
  }

  /** The reported survival probability in ten-thousandths. */
  survival(row: number, method: number, h: number): number {
    return this.numbers[numbersAt(row, method, h)];
  }

  /** The feature of a risk factor, as an index into the features of the models. */
  riskFactor(row: number, method: number, h: number, rank: number): number {
    return this.numbers[numbersAt(row, method, h) + 1 + 2 * rank] >> 1;
  }

  /** The contribution of a risk factor in ten-thousandths: the reported magnitude with the sign of its impact. */
  contribution(row: number, method: number, h: number, rank: number): number {
    const at = numbersAt(row, method, h) + 1 + 2 * rank; // of its `factorCode`; its magnitude follows
    return (this.numbers[at] & 1) === 0 ? this.numbers[at + 1] : 0 - this.numbers[at + 1];
  }

  /** The low end of the interval in ten-thousandths, at most the survival. */
  low(row: number, method: number, h: number): number {
    return this.intervals[intervalAt(row, method, h)];
  }

  /** The high end of the interval in ten-thousandths, at least the survival. */
  high(row: number, method: number, h: number): number {
    return this.intervals[intervalAt(row, method, h) + 1];
  }
}
