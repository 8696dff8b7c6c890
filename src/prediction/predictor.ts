import KDBush from 'kdbush';
import type { Artefacts } from './artefacts/artefacts.js';
import type { SharedGrid } from './artefacts/shared-grid.js';
import { PlaceCache } from './cache/place-cache.js';
import { PredictionCache } from './cache/prediction-cache.js';
import { BOTH_METHODS, PLANTING_METHODS } from './dimensions.js';
import { AnswerEncoder } from './encoding/answer-encoder.js';
import { Coverage } from './locate/coverage.js';
import { NearestPoint } from './locate/nearest-point.js';
import { PREDICTION_NUMBERS, PredictionReporter } from './model/prediction-numbers.js';
import type { SurvivalModel } from './model/survival-model.js';
import { ROW_STATUS, type RowAnswers, type SiteRows } from './site-rows.js';

/** What predictions are made from; plain data that can be handed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory that finished predictions may take in one predictor; 0 keeps none. */
  readonly cacheBytes: number;
}

/** Of the cache's memory, the part that is for predictions; the rest is for places. */
const PREDICTIONS_SHARE = 1 / 3;

/** The way of a row: coverage, nearest point, features, model, risk factors, JSON. */
export class Predictor {
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #places: PlaceCache;
  readonly #predictions: PredictionCache;
  readonly #reporter: PredictionReporter;
  readonly #encoder: AnswerEncoder;
  readonly #grid: SharedGrid;
  readonly #speciesCount: number;

  /** @param models the survival model of each planting method, in the order of PLANTING_METHODS. */
  constructor(
    data: PredictorData,
    readonly models: readonly SurvivalModel[],
  ) {
    this.#grid = data.grid;
    this.#speciesCount = data.species.length;
    this.#coverage = new Coverage(data.regions);
    this.#nearest = new NearestPoint(KDBush.from(data.grid.index), data.searchRadiusKm);
    this.#predictions = new PredictionCache(data.cacheBytes * PREDICTIONS_SHARE);
    this.#places = new PlaceCache(data.cacheBytes * (1 - PREDICTIONS_SHARE));
    this.#reporter = new PredictionReporter(data.manifest);
    this.#encoder = new AnswerEncoder(data.grid, data.manifest, data.species, this.#places);
  }

  /**
   * Answers every row, in order.
   * @param answers where to; its `json` has room for `elementCapacity` bytes for each row
   * @returns the time in the models
   */
  async answer(
    rows: SiteRows,
    { status, ends, json }: RowAnswers,
  ): Promise<{ readonly inferenceMs: number }> {
    const points = new Int32Array(rows.count);
    const distancesKm = new Float64Array(rows.count);
    for (let row = 0; row < rows.count; row++) {
      status[row] = this.#match(rows.longitude[row], rows.latitude[row], points, distancesKm, row);
    }

    const numbers = new Uint16Array(rows.count * NUMBERS_PER_ROW);
    const startedMs = performance.now();
    // Together, since each run waits for a turn of the event loop.
    const runs = PLANTING_METHODS.map((_, method) => this.#predict(method, rows, status, points, numbers));
    // One that goes on after another failed would keep what it found for the next rows in this memory.
    await Promise.allSettled(runs);
    await Promise.all(runs);
    const inferenceMs = performance.now() - startedMs;

    this.#encoder.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) {
        const at = row * NUMBERS_PER_ROW;
        this.#encoder.writeAnswer(rows, row, points[row], distancesKm[row], numbers, at);
      }
      ends[row] = this.#encoder.length;
    }
    return { inferenceMs };
  }

  /** Matches a place to its grid point, into `points` and `distancesKm` at `row`. @returns its ROW_STATUS. */
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

  /** Finds what is reported of one method for the rows that ask for it: runs its model once, on what is not at hand. */
  async #predict(
    method: number,
    rows: SiteRows,
    status: Uint8Array,
    points: Int32Array,
    numbers: Uint16Array,
  ): Promise<void> {
    const wanted = new Int32Array(rows.count);
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      const isAsked = rows.method[row] === method || rows.method[row] === BOTH_METHODS;
      if (!isAsked || status[row] !== ROW_STATUS.answered) continue;
      const key = this.#cacheKey(points[row], rows.species[row], method);
      if (!this.#predictions.find(key, numbers, numbersOf(row, method))) wanted[count++] = row;
    }
    const featureCount = this.models[method].featureCount;
    const features = new Float32Array(count * featureCount);
    const species = new Uint8Array(count);
    for (let position = 0; position < count; position++) {
      const row = wanted[position];
      const from = points[row] * featureCount;
      const to = position * featureCount;
      for (let f = 0; f < featureCount; f++) features[to + f] = this.#grid.features[from + f];
      species[position] = rows.species[row];
    }
    const survival = await this.models[method].run(features, species);
    for (let position = 0; position < count; position++) {
      const row = wanted[position];
      const at = numbersOf(row, method);
      this.#reporter.report(survival, position, numbers, at);
      this.#predictions.keep(this.#cacheKey(points[row], rows.species[row], method), numbers, at);
    }
  }

  /** A number above 0 for each combination of point, species and method: far below 2^53 for any grid. */
  #cacheKey(point: number, species: number, method: number): number {
    return (point * this.#speciesCount + species) * PLANTING_METHODS.length + method + 1;
  }
}

const NUMBERS_PER_ROW = PLANTING_METHODS.length * PREDICTION_NUMBERS;

/** Where the numbers of a row and method start. */
function numbersOf(row: number, method: number): number {
  return row * NUMBERS_PER_ROW + method * PREDICTION_NUMBERS;
}
