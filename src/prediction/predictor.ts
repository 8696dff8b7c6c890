import KDBush from 'kdbush';
import { AnswerEncoder } from './answer-encoder.js';
import type { Artefacts } from './artefacts.js';
import { Coverage } from './coverage.js';
import type { Fragment } from './json-writer.js';
import { NearestPoint } from './nearest-point.js';
import { BOTH_METHODS, PLANTING_METHODS } from './planting-method.js';
import type { Predicted } from './prediction-encoder.js';
import type { SharedGrid } from './shared-grid.js';
import { ROW_STATUS, type RowAnswers, type SiteRows } from './site-rows.js';
import type { SurvivalModel } from './survival-model.js';

/** What predictions are made from; plain data that can be handed to another thread. */
export interface PredictorData extends Artefacts {
  readonly searchRadiusKm: number;
  /** Memory that finished predictions may take in one predictor; 0 keeps none. */
  readonly cacheBytes: number;
}

/** The way of a row: coverage, nearest point, features, model, risk factors, JSON. */
export class Predictor {
  readonly #coverage: Coverage;
  readonly #nearest: NearestPoint;
  readonly #encoder: AnswerEncoder;
  readonly #grid: SharedGrid;

  /** @param models the survival model of each planting method, in the order of PLANTING_METHODS. */
  constructor(
    data: PredictorData,
    readonly models: readonly SurvivalModel[],
  ) {
    this.#grid = data.grid;
    this.#coverage = new Coverage(data.regions);
    this.#nearest = new NearestPoint(KDBush.from(data.grid.index), data.searchRadiusKm);
    this.#encoder = new AnswerEncoder(data.grid, data.manifest, data.species, data.cacheBytes);
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
      status[row] = this.#match(rows.longitude[row]!, rows.latitude[row]!, points, distancesKm, row);
    }

    const finished = new Array<Fragment | undefined>(rows.count);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered)
        finished[row] = this.#encoder.findFinished(rows, row, points[row]!);
    }

    const isWanted = (row: number) => status[row] === ROW_STATUS.answered && finished[row] === undefined;
    const startedMs = performance.now();
    const predicted = [];
    for (let method = 0; method < PLANTING_METHODS.length; method++) {
      predicted.push(await this.#predict(method, rows, points, isWanted));
    }
    const inferenceMs = performance.now() - startedMs;

    this.#encoder.begin(json);
    for (let row = 0; row < rows.count; row++) {
      if (status[row] === ROW_STATUS.answered) {
        this.#encoder.writeAnswer(rows, row, points[row]!, distancesKm[row]!, finished[row], predicted);
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
    if (!this.#coverage.contains(longitude, latitude)) return ROW_STATUS.outsideCoverage;
    const point = this.#nearest.find(longitude, latitude);
    if (point === -1) return ROW_STATUS.noNearbyData;
    points[row] = point;
    distancesKm[row] = this.#nearest.distanceKm;
    return ROW_STATUS.answered;
  }

  /** Runs a method's model once, on the rows that are wanted of it. */
  async #predict(
    method: number,
    rows: SiteRows,
    points: Int32Array,
    isWanted: (row: number) => boolean,
  ): Promise<Predicted> {
    const featureCount = this.models[method]!.featureCount;
    const positions = new Int32Array(rows.count);
    let count = 0;
    for (let row = 0; row < rows.count; row++) {
      const asked = rows.method[row] === method || rows.method[row] === BOTH_METHODS;
      positions[row] = asked && isWanted(row) ? count++ : -1;
    }
    const features = new Float32Array(count * featureCount);
    const species = new Uint8Array(count);
    for (let row = 0; row < rows.count; row++) {
      const position = positions[row]!;
      if (position === -1) continue;
      const from = points[row]! * featureCount;
      const to = position * featureCount;
      for (let f = 0; f < featureCount; f++) features[to + f] = this.#grid.features[from + f]!;
      species[position] = rows.species[row]!;
    }
    const survival = await this.models[method]!.run(features, species);
    return { positions, survival };
  }
}
