import { AnswerEncoder } from '../formats/json/answer-encoder.js';
import type { RowDetails } from '../formats/json/detail-encoder.js';
import { JsonWriter } from '../formats/json/json-writer.js';
import { type MatchedPlaces, matchedPlaces } from '../formats/json/matched-places.js';
import type { Artefacts } from './artefacts/artefacts.js';
import { PlaceCache } from './cache/place-cache.js';
import { PredictionCache } from './cache/prediction-cache.js';
import { MAX_RISE_M, OWN_ELEVATION } from './conditions/adjustments.js';
import { SiteFeatures } from './conditions/site-features.js';
import type { IntervalModel } from './intervals/interval-model.js';
import { type Draws, IntervalPredictor } from './intervals/interval-predictor.js';
import { SiteErrors } from './intervals/site-errors.js';
import { Coverage } from './locate/coverage.js';
import { NearestPoint } from './locate/nearest-point.js';
import { MethodPredictor, type MethodRun, NUMBERS_PER_ROW } from './method-predictor.js';
import { PredictionReporter } from './model/prediction-numbers.js';
import type { SurvivalModel } from './model/survival-model.js';
import { RECORD_BYTES, type RowRecords, RowRecordWriter } from './row-record.js';
import { OPTION, ROW_STATUS, type RowAnswers, type SiteRows } from './site-rows.js';

/** What predictions are made from; plain data that can be passed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory for the caches of one predictor; 0 disables them. */
  readonly cacheBytes: number;
}

/** Share of the caches' memory for predictions; the rest is for places. */
const PREDICTIONS_SHARE = 1 / 3;

/** What adds to an answer. */
const INCLUDING = OPTION.intervals | OPTION.explanation | OPTION.site;

/** Predicts rows of sites: coverage, nearest grid point, features, model, risk factors, JSON. */
export class Predictor {
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #places: PlaceCache;
  readonly #methods: readonly MethodPredictor[];
  readonly #intervals: readonly IntervalPredictor[];
  readonly #sites: SiteFeatures;
  readonly #writer = new JsonWriter();
  readonly #encoder: AnswerEncoder;
  readonly #records: RowRecordWriter;

  /**
   * @param models the survival model of each planting method, in the order of PLANTING_METHODS
   * @param intervalModels likewise the interval graphs, if the models have any
   */
  constructor(
    private readonly data: PredictorData,
    readonly models: readonly SurvivalModel[],
    readonly intervalModels: readonly IntervalModel[] = [],
  ) {
    this.#coverage = new Coverage(data.regions);
    this.#nearest = new NearestPoint(data.grid.index, data.searchRadiusKm);
    this.#places = new PlaceCache(data.cacheBytes * (1 - PREDICTIONS_SHARE));
    this.#sites = new SiteFeatures(data.grid, data.manifest);
    const cache = new PredictionCache(data.cacheBytes * PREDICTIONS_SHARE);
    const reporter = new PredictionReporter(data.manifest);
    this.#methods = models.map(
      (model, method) =>
        new MethodPredictor(method, model, data.species.length, cache, this.#sites, reporter),
    );
    const errors = new SiteErrors(data.grid, data.manifest, this.#sites);
    this.#intervals = intervalModels.map(
      (model, method) => new IntervalPredictor(method, model, this.#sites, errors),
    );
    this.#encoder = new AnswerEncoder(this.#writer, data);
    this.#records = new RowRecordWriter(data.manifest.interval_level);
  }

  /**
   * Answers every row, in order, as JSON. Calls must not overlap, nor with those of `record`.
   * @param answers receives the answers; its `json` holds at least `elementCapacity` bytes for each row
   * @returns the time spent in the models
   */
  async answer(
    rows: SiteRows,
    { status, ends, json }: RowAnswers,
  ): Promise<{ readonly inferenceMs: number }> {
    const { points, distancesKm, numbers, runs, draws, inferenceMs } = await this.#predict(rows, status);
    const places = matchedPlaces(this.data.grid, points);
    this.#writer.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) {
        this.#writeSite(rows, row, points[row], distancesKm[row], places);
        const isIncluding = (rows.options[row] & INCLUDING) !== 0;
        const details = isIncluding ? this.#writeDetails(rows, row, points[row], runs, draws) : undefined;
        this.#encoder.writePredictions(rows, row, numbers, row * NUMBERS_PER_ROW, details);
      }
      ends[row] = this.#writer.length;
    }
    return { inferenceMs };
  }

  /**
   * Answers every row, in order, with a record. Of `include`, records have the intervals only.
   * @param records receives the records, as many as there are rows
   * @returns the time spent in the models
   */
  async record(rows: SiteRows, { status, bytes }: RowRecords): Promise<{ readonly inferenceMs: number }> {
    const { points, distancesKm, numbers, draws, inferenceMs } = await this.#predict(rows, status);
    this.#records.begin(bytes);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] !== ROW_STATUS.answered) continue;
      const from = row * NUMBERS_PER_ROW;
      const drawn = { draws, row };
      this.#records.write(row * RECORD_BYTES, rows, points[row], distancesKm[row], numbers, from, drawn);
    }
    return { inferenceMs };
  }

  /** Matches and predicts rows. @param status receives the ROW_STATUS of each */
  async #predict(rows: SiteRows, status: Uint8Array) {
    const points = new Int32Array(rows.count);
    const distancesKm = new Float64Array(rows.count);
    const { longitude, latitude } = rows;
    let matched: number = ROW_STATUS.answered;
    for (let row = 0; row < rows.count; row++) {
      if (row > 0 && longitude[row] === longitude[row - 1] && latitude[row] === latitude[row - 1]) {
        points[row] = points[row - 1]; // as all rows of a ranking
        distancesKm[row] = distancesKm[row - 1];
      } else matched = this.#match(longitude[row], latitude[row], points, distancesKm, row);
      status[row] = matched;
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
    const running = this.#methods.map((method) => method.predict(rows, status, points, numbers));
    const drawing = this.#intervals.map((method) => method.draw(rows, status, points, distancesKm));
    // A run that continued after another failed would cache its results under whatever rows this memory holds by then.
    await Promise.allSettled([...running, ...drawing]);
    const runs = await Promise.all(running);
    const draws = await Promise.all(drawing);
    return { points, distancesKm, numbers, runs, draws, inferenceMs: performance.now() - startedMs };
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
    return Math.abs(adjustments[row * width + OWN_ELEVATION] - this.#sites.elevationAt(point)) > MAX_RISE_M;
  }

  /** Writes what options add to a row's site. @returns what they add to its predictions */
  #writeDetails(
    rows: SiteRows,
    row: number,
    point: number,
    runs: readonly MethodRun[],
    draws: readonly (Draws | undefined)[],
  ): RowDetails {
    const options = rows.options[row];
    const details: RowDetails = (options & OPTION.intervals) === 0 ? {} : { drawn: { draws, row } };
    if ((options & (OPTION.site | OPTION.explanation)) === 0) return details;
    const features = new Float32Array(this.data.manifest.features.length);
    this.#sites.write(rows, row, point, features, 0);
    const species = rows.species[row];
    if ((options & OPTION.site) !== 0) this.#encoder.writeSiteDetails(point, species, features);
    if ((options & OPTION.explanation) === 0) return details;
    const explained = runs.map(({ outputs, positions }, method) => {
      return { outputs, position: positions?.[row] ?? 0, method, species, features };
    });
    return { ...details, explained };
  }

  #writeSite(rows: SiteRows, row: number, point: number, distanceKm: number, places: MatchedPlaces): void {
    const longitude = rows.longitude[row];
    const latitude = rows.latitude[row];
    const entry = this.#places.find(longitude, latitude);
    if (entry !== -1) {
      this.#places.write(this.#writer, entry);
      return;
    }
    const start = this.#writer.length;
    this.#encoder.writeSite(longitude, latitude, places, row, distanceKm);
    this.#places.keep(longitude, latitude, point, distanceKm, this.#writer, start);
  }
}
