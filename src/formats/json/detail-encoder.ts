import { isPractice } from '../../prediction/artefacts/manifest.js';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { intervalOf } from '../../prediction/intervals.js';
import type { Predictor, PredictorRun } from '../../prediction/predictor.js';
import type { RowRecords } from '../../prediction/row-record.js';
import { OPTION, type SiteRows } from '../../prediction/site-rows.js';
import { type Fragment, fragment, type JsonWriter } from './json-writer.js';

const MATCHED_ELEVATION = fragment(',"matched_elevation_m":');
const NATIVE = [false, true].map((isNative) =>
  fragment(`,"in_native_range":${isNative},"outside_training":[`),
);
const CLOSE_SITE = fragment(']}');
const HIGH = fragment(',"high":');
const CLOSE_INTERVAL = fragment('}');
const BASELINE = fragment(',"baseline":');
const CONTRIBUTIONS = fragment(',"contributions":[');
const CLOSE_LIST = fragment(']');
const VALUE = fragment(',"value":');
const COMMA = fragment(',');

const INTERVAL_DECIMALS = 4;
const CONTRIBUTION_DECIMALS = 6;
const CONTRIBUTION_SCALE = 10 ** CONTRIBUTION_DECIMALS;
/** Values and averages have 3 decimals: more than the grid's steps. */
const VALUE_SCALE = 1000;
const rounded = (value: number) => Math.round(value * VALUE_SCALE) / VALUE_SCALE;

/** Writes what `include` adds to the answer of one row after the other. */
export class DetailEncoder {
  readonly #openInterval: Fragment;
  readonly #quotedNames: readonly Fragment[];
  /** By method, the features that apply to it. */
  readonly #concerned: readonly (readonly number[])[];
  /** The JSON around the numbers of a contribution, by feature. */
  readonly #open: readonly Fragment[];
  /** The JSON after a value, by method, species and feature. */
  readonly #averages: readonly (readonly (readonly Fragment[])[])[];
  /** Rounded contributions that are being written, and their features in order. */
  readonly #rounded: Int32Array;
  readonly #order: Int32Array;
  /** Float32 [features]: those of the row, as the models saw them. */
  #features: Float32Array = new Float32Array(0);
  #row = 0;
  #options = 0;
  #species = 0;
  #records!: RowRecords;
  #run!: PredictorRun;

  constructor(
    private readonly writer: JsonWriter,
    private readonly predictor: Predictor,
  ) {
    const { features, methods } = predictor.data.manifest;
    this.#openInterval = fragment(`,"interval":{"level":${predictor.intervalLevel},"low":`);
    this.#quotedNames = features.map(({ name }) => fragment(JSON.stringify(name)));
    this.#concerned = PLANTING_METHODS.map((method) =>
      features.flatMap((f, index) =>
        isPractice(f) && !(f.methods ?? PLANTING_METHODS).includes(method) ? [] : [index],
      ),
    );
    this.#open = features.map(({ name, label }) =>
      fragment(`{"feature":${JSON.stringify(name)},"factor":${JSON.stringify(label)},"contribution":`),
    );
    this.#averages = PLANTING_METHODS.map((method) =>
      methods[method].averages.map((ofSpecies) =>
        ofSpecies.map((average, feature) =>
          fragment(`,"unit":${JSON.stringify(features[feature].unit)},"average":${rounded(average)}}`),
        ),
      ),
    );
    this.#rounded = new Int32Array(features.length);
    this.#order = new Int32Array(features.length);
  }

  /** Begins the row whose site was just written, and adds to that site what the row includes. */
  begin(rows: SiteRows, row: number, records: RowRecords, run: PredictorRun): void {
    this.#options = rows.options[row];
    if (this.#options === 0) return;
    this.#row = row;
    this.#species = rows.species[row];
    this.#records = records;
    this.#run = run;
    if ((this.#options & (OPTION.site | OPTION.explanation)) === 0) return;
    this.#features = this.predictor.sites.featuresOf(rows, Int32Array.of(row), records.points);
    if ((this.#options & OPTION.site) !== 0) this.#writeSite(records.points[row]);
  }

  #writeSite(point: number): void {
    const { writer } = this;
    const { grid, manifest } = this.predictor.data;
    const features = this.#features;
    writer.length--; // its closing brace
    writer.write(MATCHED_ELEVATION);
    writer.writeNumber(valueAt(grid.columns.elevation, point));
    writer.write(NATIVE[(grid.nativeRanges[point] >>> this.#species) & 1]);
    let isFirst = true;
    for (let f = 0; f < features.length; f++) {
      const feature = manifest.features[f];
      if (isPractice(feature)) continue;
      const { p1, p99 } = feature.training;
      if (features[f] >= Math.fround(p1) && features[f] <= Math.fround(p99)) continue; // as the models see it
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      writer.write(this.#quotedNames[f]);
    }
    writer.write(CLOSE_SITE);
  }

  /** Writes what the row includes in the prediction of a method. @param h index into HORIZONS */
  writePrediction(method: number, h: number): void {
    if ((this.#options & OPTION.intervals) !== 0) {
      const low = this.#records.low(this.#row, method, h);
      this.#writeInterval(low, this.#records.high(this.#row, method, h));
    }
    if ((this.#options & OPTION.explanation) !== 0) this.#writeExplanation(method, h);
  }

  /** Writes the interval of the difference between the methods. @param reported the difference, in ten-thousandths */
  writeDifference(h: number, reported: number): void {
    if ((this.#options & OPTION.intervals) === 0) return;
    const [manual, droneSeeded] = this.#run.draws;
    if (manual === undefined || droneSeeded === undefined) throw new Error('no draws of both methods');
    const { intervalLevel } = this.predictor;
    this.#writeInterval(...intervalOf(intervalLevel, reported, this.#row, h, manual, droneSeeded));
  }

  #writeInterval(low: number, high: number): void {
    const { writer } = this;
    writer.write(this.#openInterval);
    writer.writeDecimal(low, INTERVAL_DECIMALS);
    writer.write(HIGH);
    writer.writeDecimal(high, INTERVAL_DECIMALS);
    writer.write(CLOSE_INTERVAL);
  }

  #writeExplanation(method: number, h: number): void {
    const { writer } = this;
    const features = this.#features;
    const explanations = this.#run.explanations[method];
    if (explanations === undefined) throw new Error('no explanations of the method');
    const { outputs, positions } = explanations;
    const output = positions[this.#row] * HORIZONS.length + h;
    writer.write(BASELINE);
    writer.writeDecimal(Math.round(outputs.baseline[output] * CONTRIBUTION_SCALE), CONTRIBUTION_DECIMALS);
    writer.write(CONTRIBUTIONS);
    const concerned = this.#concerned[method];
    this.#rank(outputs.contributions, output * features.length, concerned);
    for (let rank = 0; rank < concerned.length; rank++) {
      const f = this.#order[rank];
      if (rank > 0) writer.write(COMMA);
      writer.write(this.#open[f]);
      writer.writeDecimal(this.#rounded[f], CONTRIBUTION_DECIMALS);
      writer.write(VALUE);
      writer.writeNumber(rounded(features[f]));
      writer.write(this.#averages[method][this.#species][f]);
    }
    writer.write(CLOSE_LIST);
  }

  /** Rounds the contributions that start at an offset and orders the features: largest first, of equal ones the first. */
  #rank(contributions: Float32Array, offset: number, features: readonly number[]): void {
    const values = this.#rounded;
    const order = this.#order;
    features.forEach((f, index) => {
      values[f] = Math.round(contributions[offset + f] * CONTRIBUTION_SCALE);
      const size = Math.abs(values[f]);
      let rank = index;
      for (; rank > 0 && Math.abs(values[order[rank - 1]]) < size; rank--) order[rank] = order[rank - 1];
      order[rank] = f;
    });
  }
}
