import { BOTH_METHODS, HORIZONS } from './dimensions.js';
import type { IntervalModel } from './model/model-session.js';
import { intervalAt, type RowRecords } from './row-record.js';
import type { SiteFeatures } from './site-features.js';
import { OPTION, ROW_STATUS, type SiteRows } from './site-rows.js';

/** The draws of one method for the rows that ask for intervals. */
export interface Draws {
  /** Float32 [n, horizons, draws] */
  readonly values: Float32Array;
  /** The n rows. */
  readonly rows: readonly number[];
  /** The position in `values` of each row that asks. */
  readonly positions: Int32Array;
}

/**
 * Runs the interval graph of a method once, for the matched rows that ask for intervals and the method; undefined where
 * none does.
 * @param method its index in PLANTING_METHODS
 */
export async function drawsOf(
  method: number,
  model: IntervalModel,
  sites: SiteFeatures,
  rows: SiteRows,
  { status, points, distancesKm }: RowRecords,
): Promise<Draws | undefined> {
  const asking: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    if ((rows.options[row] & OPTION.intervals) === 0 || status[row] !== ROW_STATUS.answered) continue;
    if (rows.method[row] === method || rows.method[row] === BOTH_METHODS) asking.push(row);
  }
  if (asking.length === 0) return undefined;
  const { featureCount } = model;
  const features = new Float32Array(asking.length * featureCount);
  const errors = new Float32Array(asking.length * featureCount);
  const species = new Uint8Array(asking.length);
  const positions = new Int32Array(rows.count);
  sites.write(rows, Int32Array.from(asking), points, features);
  asking.forEach((row, position) => {
    const to = position * featureCount;
    sites.writeErrors(rows, row, points[row], distancesKm[row], errors, to);
    species[position] = rows.species[row];
    positions[row] = position;
  });
  const { draws } = await model.run({ features, errors }, species);
  return { values: draws, rows: asking, positions };
}

/** Finds the ends of intervals among draws, in ten-thousandths, halves up like survival. */
export class IntervalEnds {
  /** The ends of the interval found last. */
  low = 0;
  high = 0;
  /** Ascending, of one row and horizon. */
  #draws = new Float64Array(0);

  /** @param level the probability that the interval contains the value */
  constructor(readonly level: number) {}

  /** Reports the intervals of a method's survival, which is reported already. */
  report(draws: Draws, method: number, records: RowRecords): void {
    for (const row of draws.rows) {
      for (let h = 0; h < HORIZONS.length; h++) {
        this.find(draws, row, h, records.survival(row, method, h));
        const at = intervalAt(row, method, h);
        records.intervals[at] = this.low;
        records.intervals[at + 1] = this.high;
      }
    }
  }

  /**
   * Finds the interval of one method's survival, or of the difference between two: draw by draw, since a draw is the same
   * world for both.
   * @param h index into HORIZONS
   * @param reported the survival or difference that is reported, in ten-thousandths: never outside
   * @throws Error where a draw is not a probability
   */
  find(draws: Draws, row: number, h: number, reported: number, subtracted?: Draws): void {
    const count = draws.values.length / (draws.rows.length * HORIZONS.length);
    if (count !== this.#draws.length) this.#draws = new Float64Array(count);
    const from = (draws.positions[row] * HORIZONS.length + h) * count;
    for (let d = 0; d < count; d++) this.#draws[d] = draws.values[from + d];
    if (subtracted !== undefined) {
      const other = (subtracted.positions[row] * HORIZONS.length + h) * count;
      for (let d = 0; d < count; d++) this.#draws[d] -= subtracted.values[other + d];
    }
    this.#draws.sort(); // NaN last
    const [lowest, highest] = [this.#draws[0], this.#draws[count - 1]];
    if (!(lowest >= (subtracted === undefined ? 0 : -1) && highest <= 1))
      throw new Error(
        `the interval graph gave draws from ${lowest} to ${highest}, which are not probabilities`,
      );
    const tail = (1 - this.level) / 2;
    this.low = Math.min(reported, this.#quantile(tail));
    this.high = Math.max(reported, this.#quantile(1 - tail));
  }

  /** A quantile in ten-thousandths, linear between the draws: type 7 of Hyndman and Fan (1996), NumPy's default. */
  #quantile(share: number): number {
    const draws = this.#draws;
    const at = share * (draws.length - 1);
    const below = Math.floor(at);
    const above = Math.min(below + 1, draws.length - 1);
    const value = draws[below] + (at - below) * (draws[above] - draws[below]);
    return Math.floor(value * 10_000 + 0.5);
  }
}
