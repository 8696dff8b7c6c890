import KDBush from 'kdbush';
import type { Artefacts } from './artefacts/artefacts.js';
import { PlaceCache } from './cache/place-cache.js';
import { PredictionCache } from './cache/prediction-cache.js';
import { MAX_RISE_M, OWN_ELEVATION } from './conditions/adjustments.js';
import { SiteFeatures } from './conditions/site-features.js';
import { BOTH_METHODS, PLANTING_METHODS } from './dimensions.js';
import { AnswerEncoder } from './encoding/answer-encoder.js';
import { JsonWriter } from './encoding/json-writer.js';
import { Coverage } from './locate/coverage.js';
import { NearestPoint } from './locate/nearest-point.js';
import { PREDICTION_NUMBERS, PredictionReporter } from './model/prediction-numbers.js';
import type { SurvivalModel } from './model/survival-model.js';
import { OPTION, ROW_STATUS, type RowAnswers, type SiteRows } from './site-rows.js';

/** What predictions are made from; plain data that can be passed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory for the caches of one predictor; 0 disables them. */
  readonly cacheBytes: number;
}

/** Of the caches' memory, the share for predictions; the rest is for places. */
const PREDICTIONS_SHARE = 1 / 3;

const NUMBERS_PER_ROW = PLANTING_METHODS.length * PREDICTION_NUMBERS;

/** Predicts rows of sites: coverage, nearest grid point, features, model, risk factors, JSON. */
export class Predictor {
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #places: PlaceCache;
  readonly #predictions: PredictionCache;
  readonly #sites: SiteFeatures;
  readonly #reporter: PredictionReporter;
  readonly #writer = new JsonWriter();
  readonly #encoder: AnswerEncoder;

  /** @param models the survival model of each planting method, in the order of PLANTING_METHODS. */
  constructor(
    private readonly data: PredictorData,
    readonly models: readonly SurvivalModel[],
  ) {
    this.#coverage = new Coverage(data.regions);
    this.#nearest = new NearestPoint(KDBush.from(data.grid.index), data.searchRadiusKm);
    this.#predictions = new PredictionCache(data.cacheBytes * PREDICTIONS_SHARE);
    this.#places = new PlaceCache(data.cacheBytes * (1 - PREDICTIONS_SHARE));
    this.#sites = new SiteFeatures(data.grid, data.manifest);
    this.#reporter = new PredictionReporter(data.manifest);
    this.#encoder = new AnswerEncoder(this.#writer, data);
  }

  /**
   * Answers every row, in order. Calls must not overlap.
   * @param answers receives the answers; its `json` holds at least `elementCapacity` bytes for each row
   * @returns the time spent in the models
   */
  async answer(
    rows: SiteRows,
    { status, ends, json }: RowAnswers,
  ): Promise<{ readonly inferenceMs: number }> {
    const points = new Int32Array(rows.count);
    const distancesKm = new Float64Array(rows.count);
    for (let row = 0; row < rows.count; row++) {
      status[row] = this.#match(rows.longitude[row], rows.latitude[row], points, distancesKm, row);
      if (
        rows.options[row] !== 0 &&
        status[row] === ROW_STATUS.answered &&
        this.#isTooHigh(rows, row, points[row])
      )
        status[row] = ROW_STATUS.elevationMismatch;
    }

    const numbers = new Uint16Array(rows.count * NUMBERS_PER_ROW);
    const startedMs = performance.now();
    // Started together, since each run waits for a turn of the event loop.
    const runs = PLANTING_METHODS.map((_, method) => this.#predict(method, rows, status, points, numbers));
    // A run that continued after the other failed would cache its results under whatever rows this memory holds by then.
    await Promise.allSettled(runs);
    await Promise.all(runs);
    const inferenceMs = performance.now() - startedMs;

    this.#writer.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) {
        this.#writeSite(rows.longitude[row], rows.latitude[row], points[row], distancesKm[row]);
        this.#encoder.writePredictions(rows, row, numbers, row * NUMBERS_PER_ROW);
      }
      ends[row] = this.#writer.length;
    }
    return { inferenceMs };
  }

  /** Matches a place to its grid point, into `points` and `distancesKm` at `row`. @returns its ROW_STATUS */
  #match(
    longitude: number,
    latitude: number,
    points: Int32Array,
    distancesKm: Float64Array,
    row: number,
  ): number {
    const entry = this.#places.find(longitude, latitude);
    if (entry !== -1) {
      points[row] = this.#places.pointOf(entry);
      distancesKm[row] = this.#places.distanceKmOf(entry);
      return ROW_STATUS.answered;
    }
    if (!this.#coverage.contains(longitude, latitude)) return ROW_STATUS.outsideCoverage;
    const point = this.#nearest.find(longitude, latitude);
    if (point === -1) return ROW_STATUS.noNearbyData;
    points[row] = point;
    distancesKm[row] = this.#nearest.distanceKm;
    return ROW_STATUS.answered;
  }

  /** Whether the site's own elevation is stated and too far from its point's. */
  #isTooHigh({ options, adjustments, width }: SiteRows, row: number, point: number): boolean {
    if ((options[row] & OPTION.adjusted) === 0) return false;
    return Math.abs(adjustments[row * width + OWN_ELEVATION] - this.#sites.elevationAt(point)) > MAX_RISE_M;
  }

  /** Predicts one method for the rows that ask for it, into `numbers`: runs the model once, on the cache misses. */
  async #predict(
    method: number,
    rows: SiteRows,
    status: Uint8Array,
    points: Int32Array,
    numbers: Uint16Array,
  ): Promise<void> {
    const misses = new Int32Array(rows.count);
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      const isAsked = rows.method[row] === method || rows.method[row] === BOTH_METHODS;
      if (!isAsked || status[row] !== ROW_STATUS.answered) continue;
      if ((rows.options[row] & OPTION.adjusted) === 0) {
        const key = this.#cacheKey(points[row], rows.species[row], method);
        if (this.#predictions.find(key, numbers, numbersOf(row, method))) continue;
      }
      misses[count++] = row;
    }
    const model = this.models[method];
    const { featureCount } = model;
    const features = new Float32Array(count * featureCount);
    const species = new Uint8Array(count);
    for (let position = 0; position < count; position++) {
      const row = misses[position];
      this.#sites.write(rows, row, points[row], features, position * featureCount);
      species[position] = rows.species[row];
    }
    const survival = await model.run(features, species);
    for (let position = 0; position < count; position++) {
      const row = misses[position];
      const at = numbersOf(row, method);
      this.#reporter.report(survival, position, numbers, at);
      if ((rows.options[row] & OPTION.adjusted) === 0)
        this.#predictions.keep(this.#cacheKey(points[row], rows.species[row], method), numbers, at);
    }
  }

  #writeSite(longitude: number, latitude: number, point: number, distanceKm: number): void {
    const entry = this.#places.find(longitude, latitude);
    if (entry !== -1) {
      this.#places.write(this.#writer, entry);
      return;
    }
    const start = this.#writer.length;
    this.#encoder.writeSite(longitude, latitude, point, distanceKm);
    this.#places.keep(longitude, latitude, point, distanceKm, this.#writer, start);
  }

  /** A number above 0 for each combination of point, species and method: far below 2^53 for any grid. */
  #cacheKey(point: number, species: number, method: number): number {
    return (point * this.data.species.length + species) * PLANTING_METHODS.length + method + 1;
  }
}

/** The index where the numbers of a row and method start. */
function numbersOf(row: number, method: number): number {
  return row * NUMBERS_PER_ROW + method * PREDICTION_NUMBERS;
}
