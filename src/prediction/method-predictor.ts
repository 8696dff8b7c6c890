import type { PredictionCache } from './cache.js';
import { BOTH_METHODS, PLANTING_METHODS } from './dimensions.js';
import type { Survival, SurvivalModel } from './model/model-session.js';
import type { PredictionReporter } from './model/prediction-numbers.js';
import { numbersAt, type RowRecords } from './row-record.js';
import type { SiteFeatures } from './site-features.js';
import { OPTION, ROW_STATUS, type SiteRows } from './site-rows.js';

/** What the cache does not hold: predictions for other features than the point's, and whole outputs of a model. */
const UNCACHED = OPTION.adjusted | OPTION.explanation;

/** The outputs for no rows. */
const NO_VALUES = new Float32Array(0);
const NO_OUTPUTS: Survival = { survival: NO_VALUES, baseline: NO_VALUES, contributions: NO_VALUES };

/** One run of a model. */
export interface MethodRun {
  readonly outputs: Survival;
  /** The position in the outputs of each row that asks for an explanation; undefined where none does. */
  readonly positions: Int32Array | undefined;
}

export class MethodPredictor {
  /** @param method its index in PLANTING_METHODS */
  constructor(
    private readonly method: number,
    private readonly model: SurvivalModel,
    private readonly speciesCount: number,
    private readonly cache: PredictionCache,
    private readonly sites: SiteFeatures,
    private readonly reporter: PredictionReporter,
  ) {}

  /** Predicts for the matched rows that ask for the method: runs the model once, on the cache misses. */
  async predict(rows: SiteRows, { status, points, numbers }: RowRecords): Promise<MethodRun> {
    const misses = new Int32Array(rows.count);
    let count = 0;
    let isExplained = false;
    for (let row = 0; row < rows.count; row++) {
      const isAsked = rows.method[row] === this.method || rows.method[row] === BOTH_METHODS;
      if (!isAsked || status[row] !== ROW_STATUS.answered) continue;
      if ((rows.options[row] & UNCACHED) === 0) {
        if (this.cache.find(this.#cacheKey(rows, row, points), numbers, numbersAt(row, this.method, 0)))
          continue;
      } else if ((rows.options[row] & OPTION.explanation) !== 0) isExplained = true;
      misses[count++] = row;
    }
    if (count === 0) return { outputs: NO_OUTPUTS, positions: undefined };
    const { featureCount } = this.model;
    const features = new Float32Array(count * featureCount);
    const species = new Uint8Array(count);
    this.sites.write(rows, misses.subarray(0, count), points, features);
    for (let position = 0; position < count; position++) species[position] = rows.species[misses[position]];
    const outputs = await this.model.run({ features }, species);
    const positions = isExplained ? new Int32Array(rows.count) : undefined;
    for (let position = 0; position < count; position++) {
      const row = misses[position];
      const at = numbersAt(row, this.method, 0);
      this.reporter.report(outputs, position, numbers, at);
      if ((rows.options[row] & UNCACHED) === 0)
        this.cache.keep(this.#cacheKey(rows, row, points), numbers, at);
      if (positions !== undefined) positions[row] = position;
    }
    return { outputs, positions };
  }

  /** A number above 0 for each combination of point, species and method: far below 2^53 for any grid. */
  #cacheKey({ species }: SiteRows, row: number, points: Int32Array): number {
    return (points[row] * this.speciesCount + species[row]) * PLANTING_METHODS.length + this.method + 1;
  }
}
