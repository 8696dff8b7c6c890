import type { SiteFeatures } from '../conditions/site-features.js';
import { BOTH_METHODS } from '../dimensions.js';
import { OPTION, ROW_STATUS, type SiteRows } from '../site-rows.js';
import type { IntervalModel } from './interval-model.js';
import type { SiteErrors } from './site-errors.js';

/** The draws of one method for the rows that ask for intervals. */
export interface Draws {
  /** Float32 [n, horizons, draws] */
  readonly values: Float32Array;
  /** The position in them of each row that asks. */
  readonly positions: Int32Array;
  /** Rows in them. */
  readonly count: number;
}

/** Draws the survival of one planting method. */
export class IntervalPredictor {
  /** @param method its index in PLANTING_METHODS */
  constructor(
    private readonly method: number,
    private readonly model: IntervalModel,
    private readonly sites: SiteFeatures,
    private readonly errors: SiteErrors,
  ) {}

  /** Runs the graph once, for the matched rows that ask for intervals and the method; undefined where none does. */
  async draw(
    rows: SiteRows,
    status: Uint8Array,
    points: Int32Array,
    distancesKm: Float64Array,
  ): Promise<Draws | undefined> {
    const asking: number[] = [];
    for (let row = 0; row < rows.count; row++) {
      if ((rows.options[row] & OPTION.intervals) === 0 || status[row] !== ROW_STATUS.answered) continue;
      if (rows.method[row] === this.method || rows.method[row] === BOTH_METHODS) asking.push(row);
    }
    if (asking.length === 0) return undefined;
    const { featureCount } = this.model;
    const features = new Float32Array(asking.length * featureCount);
    const errors = new Float32Array(asking.length * featureCount);
    const species = new Uint8Array(asking.length);
    const positions = new Int32Array(rows.count);
    asking.forEach((row, position) => {
      const to = position * featureCount;
      this.sites.write(rows, row, points[row], features, to);
      this.errors.write(rows, row, points[row], distancesKm[row], errors, to);
      species[position] = rows.species[row];
      positions[row] = position;
    });
    return { values: await this.model.run(features, species, errors), positions, count: asking.length };
  }
}
