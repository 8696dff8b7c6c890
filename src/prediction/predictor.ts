import type { Artefacts } from './artefacts/artefacts.js';
import { PlaceCache, PredictionCache } from './cache.js';
import { type Draws, IntervalPredictor } from './interval-predictor.js';
import { Coverage } from './locate/coverage.js';
import { NearestPoint } from './locate/nearest-point.js';
import { MethodPredictor, type MethodRun } from './method-predictor.js';
import type { IntervalModel, SurvivalModel } from './model/model-session.js';
import { PredictionReporter } from './model/prediction-numbers.js';
import type { RowRecords } from './row-record.js';
import { MAX_RISE_M, SiteFeatures } from './site-features.js';
import { OPTION, OWN_ELEVATION, ROW_STATUS, type SiteRows } from './site-rows.js';

/** What requests are checked against and predictions made from; plain data that can be passed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory for the caches of one predictor; 0 disables them. */
  readonly cacheBytes: number;
}

/** Share of the caches' memory for predictions; the rest is for places. */
const PREDICTIONS_SHARE = 1 / 3;

/** What a run leaves beside its records, for rows that ask for more. */
export interface PredictorRun {
  /** Time in the models. */
  readonly inferenceMs: number;
  /** By method. */
  readonly runs: readonly MethodRun[];
  /** By method; undefined where no row asks for intervals of the method. */
  readonly draws: readonly (Draws | undefined)[];
}

/** Predicts rows of sites: coverage, nearest grid point, features, model, risk factors, intervals. */
export class Predictor {
  /** Matched places, each with space for what a format writes of it. */
  readonly places: PlaceCache;
  readonly sites: SiteFeatures;
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #methods: readonly MethodPredictor[];
  readonly #intervals: readonly IntervalPredictor[];

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
    this.#coverage = new Coverage(data.regions);
    this.#nearest = new NearestPoint(grid.index, data.searchRadiusKm);
    this.places = new PlaceCache(cacheBytes * (1 - PREDICTIONS_SHARE));
    this.sites = new SiteFeatures(grid, manifest);
    const cache = new PredictionCache(cacheBytes * PREDICTIONS_SHARE);
    const reporter = new PredictionReporter(manifest);
    this.#methods = models.map(
      (model, method) => new MethodPredictor(method, model, data.species.length, cache, this.sites, reporter),
    );
    const level = manifest.interval_level ?? 0; // models without intervals have no interval graphs
    this.#intervals = intervalModels.map(
      (model, method) => new IntervalPredictor(method, model, level, this.sites),
    );
  }

  /**
   * Predicts every row. Calls must not overlap.
   * @param records receives the records of the rows, in their order
   */
  async predict(rows: SiteRows, records: RowRecords): Promise<PredictorRun> {
    this.#matchAll(rows, records);
    const startedMs = performance.now();
    // Started together, since each run waits for a turn of the event loop.
    const running = this.#methods.map((method) => method.predict(rows, records));
    const drawing = this.#intervals.map((method) => method.draw(rows, records));
    // A run that continued after another failed would cache its results under whatever rows this memory holds by then.
    await Promise.allSettled([...running, ...drawing]);
    const runs = await Promise.all(running);
    const draws = await Promise.all(drawing);
    const inferenceMs = performance.now() - startedMs;
    for (const [method, ofMethod] of draws.entries())
      if (ofMethod !== undefined) this.#intervals[method].report(ofMethod, records);
    return { inferenceMs, runs, draws };
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
      const isMismatch = matched === ROW_STATUS.answered && this.#isTooHigh(rows, row, points[row]);
      status[row] = isMismatch ? ROW_STATUS.elevationMismatch : matched;
    }
  }

  /** Matches the place of a row to its grid point. @returns its ROW_STATUS */
  #match(longitude: number, latitude: number, { points, distancesKm }: RowRecords, row: number): number {
    const entry = this.places.find(longitude, latitude);
    if (entry !== -1) {
      points[row] = this.places.pointOf(entry);
      distancesKm[row] = this.places.distanceKmOf(entry);
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
  #isTooHigh({ options, adjustments, width }: SiteRows, row: number, point: number): boolean {
    if ((options[row] & OPTION.adjusted) === 0) return false;
    return Math.abs(adjustments[row * width + OWN_ELEVATION] - this.sites.elevationAt(point)) > MAX_RISE_M;
  }
}
