import { BOTH_METHODS, HORIZONS } from './dimensions.js';
import type { IntervalModel } from './model/model-session.js';
import { intervalAt, type RowRecords, SCALE } from './row-record.js';
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
  const list = Int32Array.from(asking);
  const features = sites.featuresOf(rows, list, points);
  const errors = sites.errorsOf(rows, list, points, distancesKm);
  const positions = new Int32Array(rows.count);
  for (const [position, row] of asking.entries()) positions[row] = position;
  const species = Uint8Array.from(asking, (row) => rows.species[row]);
  const { draws } = await model.run({ features, errors }, species);
  return { values: draws, rows: asking, positions };
}

/** Reports the intervals of a method's survival, which is reported already. @param level as of `intervalOf` */
export function reportIntervals(draws: Draws, method: number, level: number, records: RowRecords): void {
  for (const row of draws.rows) {
    for (let h = 0; h < HORIZONS.length; h++) {
      const ends = intervalOf(level, records.survival(row, method, h), row, h, draws);
      records.intervals.set(ends, intervalAt(row, method, h));
    }
  }
}

/** Memory of `intervalOf` for the draws of one row and horizon, ascending. */
let sorted = new Float64Array(0);

/**
 * The interval of one method's survival or, if another's draws are `subtracted`, of the difference between the two,
 * computed draw by draw, since a draw is the same world for both.
 * @param level the probability that the interval contains the value
 * @param reported the survival or difference that is reported, in ten-thousandths: the interval always contains it
 * @param h index into HORIZONS
 * @returns its ends in ten-thousandths, halves rounded up
 * @throws Error where a draw is not a probability
 */
export function intervalOf(
  level: number,
  reported: number,
  row: number,
  h: number,
  draws: Draws,
  subtracted?: Draws,
): readonly [low: number, high: number] {
  const count = draws.values.length / (draws.rows.length * HORIZONS.length);
  if (count !== sorted.length) sorted = new Float64Array(count);
  const from = (draws.positions[row] * HORIZONS.length + h) * count;
  for (let d = 0; d < count; d++) sorted[d] = draws.values[from + d];
  if (subtracted !== undefined) {
    const other = (subtracted.positions[row] * HORIZONS.length + h) * count;
    for (let d = 0; d < count; d++) sorted[d] -= subtracted.values[other + d];
  }
  sorted.sort(); // NaN last
  const [lowest, highest] = [sorted[0], sorted[count - 1]];
  if (!(lowest >= (subtracted === undefined ? 0 : -1) && highest <= 1))
    throw new Error(
      `the interval graph gave draws from ${lowest} to ${highest}, which are not probabilities`,
    );
  const tail = (1 - level) / 2;
  return [Math.min(reported, quantile(sorted, tail)), Math.max(reported, quantile(sorted, 1 - tail))];
}

/** A quantile in ten-thousandths, linear between the draws: type 7 of Hyndman and Fan (1996), NumPy's default. */
function quantile(draws: Float64Array, share: number): number {
  const at = share * (draws.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, draws.length - 1);
  const value = draws[below] + (at - below) * (draws[above] - draws[below]);
  return Math.floor(value * SCALE + 0.5);
}
