import { PLACE, PlaceCache, PredictionCache } from './cache.js';
import { BOTH_METHODS, PLANTING_METHODS } from './dimensions.js';
import { type Draws, drawsOf, reportIntervals } from './intervals.js';
import type { Coverage } from './locate/coverage.js';
import type { NearestPoint } from './locate/nearest-point.js';
import type { IntervalModel, Survival, SurvivalModel } from './model/model-session.js';
import { PredictionReporter } from './model/prediction-numbers.js';
import { coverageOf, nearestDataOf, type PredictorData } from './predictor-data.js';
import { numbersAt, type RowRecords } from './row-record.js';
import { MAX_RISE_M, type SiteFeatures, siteFeatures } from './site-features.js';
import { OPTION, OWN_ELEVATION, ROW_STATUS, type SiteRows } from './site-rows.js';

/** Share of the caches' memory for predictions; the rest is for places. */
const PREDICTIONS_SHARE = 1 / 3;

/** Options that bypass the cache: it holds neither predictions for adjusted features nor whole outputs of a model. */
const UNCACHED = OPTION.adjusted | OPTION.explanation;

/** The outputs of a model, and the position in them of each row that asks for an explanation. */
interface Explanations {
  readonly outputs: Survival;
  readonly positions: Int32Array;
}

/** The results of `predict` in addition to its records, for rows that ask for more. */
export interface PredictorRun {
  /** Time in the models. */
  readonly inferenceMs: number;
  /** By method; undefined where no row asks for explanations of the method. */
  readonly explanations: readonly (Explanations | undefined)[];
  /** By method; undefined where no row asks for intervals of the method. */
  readonly draws: readonly (Draws | undefined)[];
}

/** Predicts rows of sites: coverage, nearest grid point, features, model, risk factors, intervals. */
export class Predictor {
  /** Matched places, each with space for the text that a format writes for it. */
  readonly places: PlaceCache;
  readonly sites: SiteFeatures;
  /** Probability of intervals; 0 for models without, which have no interval graphs. */
  readonly intervalLevel: number;
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #cache: PredictionCache;
  readonly #reporter: PredictionReporter;

  /**
   * @param models the survival model of each planting method, in the order of PLANTING_METHODS
   * @param intervalModels likewise the interval graphs, if the models have any
   */
  constructor(
    readonly data: PredictorData,
    readonly models: readonly SurvivalModel[],
    readonly intervalModels: readonly IntervalModel[] = [],
  ) {
    const { grid, manifest, cacheBytes } = data;
    this.#coverage = coverageOf(data);
    this.#nearest = nearestDataOf(data);
    this.places = new PlaceCache(cacheBytes * (1 - PREDICTIONS_SHARE));
    this.sites = siteFeatures(grid, manifest);
    this.intervalLevel = manifest.interval_level ?? 0;
    this.#cache = new PredictionCache(cacheBytes * PREDICTIONS_SHARE);
    this.#reporter = new PredictionReporter(manifest);
  }

  /** Predicts every row, and writes the records. Calls must not overlap. */
  async predict(rows: SiteRows, records: RowRecords): Promise<PredictorRun> {
    this.#matchAll(rows, records);
    const startedMs = performance.now();
    // Started together, since each run waits for a turn of the event loop.
    const running = this.models.map((model, method) => this.#run(method, model, rows, records));
    const drawing = this.intervalModels.map((model, method) =>
      drawsOf(method, model, this.sites, rows, records),
    );
    // Waits for all, even if one fails: a run in progress would cache its results for the rows that replace these.
    await Promise.allSettled([...running, ...drawing]);
    const explanations = await Promise.all(running);
    const draws = await Promise.all(drawing);
    const inferenceMs = performance.now() - startedMs;
    for (const [method, ofMethod] of draws.entries())
      if (ofMethod !== undefined) reportIntervals(ofMethod, method, this.intervalLevel, records);
    return { inferenceMs, explanations, draws };
  }

  /** Predicts for the matched rows that ask for a method: runs its model once, on the cache misses. */
  async #run(
    method: number,
    model: SurvivalModel,
    rows: SiteRows,
    { status, points, numbers }: RowRecords,
  ): Promise<Explanations | undefined> {
    const misses = new Int32Array(rows.count);
    const species = new Uint8Array(rows.count);
    let count = 0;
    let positions: Int32Array | undefined;
    for (let row = 0; row < rows.count; row++) {
      const isAsked = rows.method[row] === method || rows.method[row] === BOTH_METHODS;
      if (!isAsked || status[row] !== ROW_STATUS.answered) continue;
      if ((rows.options[row] & UNCACHED) === 0) {
        const key = this.#cacheKey(points[row], rows.species[row], method);
        if (this.#cache.read(key, numbers, numbersAt(row, method, 0))) continue;
      } else if ((rows.options[row] & OPTION.explanation) !== 0) positions ??= new Int32Array(rows.count);
      species[count] = rows.species[row];
      misses[count++] = row;
    }
    if (count === 0) return undefined;
    const features = this.sites.featuresOf(rows, misses.subarray(0, count), points);
    const outputs = await model.run({ features }, species.subarray(0, count));
    for (let position = 0; position < count; position++) {
      const row = misses[position];
      const at = numbersAt(row, method, 0);
      this.#reporter.report(outputs, position, numbers, at);
      if ((rows.options[row] & UNCACHED) === 0)
        this.#cache.keep(this.#cacheKey(points[row], rows.species[row], method), numbers, at);
      if (positions !== undefined) positions[row] = position;
    }
    return positions && { outputs, positions };
  }

  /** A number above 0 for each combination of point, species and method: far below 2^53 for any grid. */
  #cacheKey(point: number, species: number, method: number): number {
    return (point * this.data.species.length + species) * PLANTING_METHODS.length + method + 1;
  }

  #matchAll(rows: SiteRows, records: RowRecords): void {
    const { longitude, latitude } = rows;
    const { status, points, distancesKm } = records;
    let matched: number = ROW_STATUS.answered;
    for (let row = 0; row < rows.count; row++) {
      if (row > 0 && longitude[row] === longitude[row - 1] && latitude[row] === latitude[row - 1]) {
        points[row] = points[row - 1]; // as all rows of a ranking
        distancesKm[row] = distancesKm[row - 1];
      } else matched = this.#match(longitude[row], latitude[row], records, row);
      const isMismatch = matched === ROW_STATUS.answered && this.#isElevationMismatch(rows, row, points[row]);
      status[row] = isMismatch ? ROW_STATUS.elevationMismatch : matched;
    }
  }

  /** Matches the place of a row to its grid point. @returns its ROW_STATUS */
  #match(longitude: number, latitude: number, { points, distancesKm }: RowRecords, row: number): number {
    const entry = this.places.find(longitude, latitude);
    if (entry !== -1) {
      points[row] = this.places.words[entry + PLACE.point];
      distancesKm[row] = this.places.words[entry + PLACE.distanceKm];
      return ROW_STATUS.answered;
    }
    const point = this.#nearest.find(longitude, latitude);
    // A grid point has a region, and so is covered, even where the region's simplified outline leaves it out.
    const isGridPoint = point !== -1 && this.#nearest.distanceKm === 0;
    if (!isGridPoint && !this.#coverage.contains(longitude, latitude)) return ROW_STATUS.outsideCoverage;
    if (point === -1) return ROW_STATUS.noNearbyData;
    points[row] = point;
    distancesKm[row] = this.#nearest.distanceKm;
    return ROW_STATUS.answered;
  }

  /** Whether the site's own elevation is stated and too far from its point's. */
  #isElevationMismatch({ options, adjustments, width }: SiteRows, row: number, point: number): boolean {
    if ((options[row] & OPTION.adjusted) === 0) return false;
    return Math.abs(adjustments[row * width + OWN_ELEVATION] - this.sites.elevationAt(point)) > MAX_RISE_M;
  }
}
