import { isPractice } from '../../prediction/artefacts/manifest.js';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { intervalOf } from '../../prediction/intervals.js';
import type { Predictor, PredictorRun } from '../../prediction/predictor.js';
import { type RowRecords, SCALE_DECIMALS } from '../../prediction/row-record.js';
import { OPTION, type SiteRows } from '../../prediction/site-rows.js';
import { fragment, type JsonWriter } from './json-writer.js';

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

const CONTRIBUTION_DECIMALS = 6;
const CONTRIBUTION_SCALE = 10 ** CONTRIBUTION_DECIMALS;
/** Values and averages have 3 decimals: more than the grid's steps. */
const VALUE_SCALE = 1000;
const rounded = (value: number) => Math.round(value * VALUE_SCALE) / VALUE_SCALE;

/** Writes what `include` adds to the answer of one row after the other. */
export function detailEncoder(writer: JsonWriter, predictor: Predictor) {
  const { sites, intervalLevel } = predictor;
  const { grid, manifest } = predictor.data;
  const { methods } = manifest;
  const openInterval = fragment(`,"interval":{"level":${intervalLevel},"low":`);
  const quotedNames = manifest.features.map(({ name }) => fragment(JSON.stringify(name)));
  /** By method, the features that apply to it. */
  const featuresOfMethod = PLANTING_METHODS.map((method) =>
    manifest.features.flatMap((f, index) =>
      isPractice(f) && !(f.methods ?? PLANTING_METHODS).includes(method) ? [] : [index],
    ),
  );
  /** The JSON around the numbers of a contribution, by feature. */
  const open = manifest.features.map(({ name, label }) =>
    fragment(`{"feature":${JSON.stringify(name)},"factor":${JSON.stringify(label)},"contribution":`),
  );
  /** The JSON after a value, by method, species and feature. */
  const averages = PLANTING_METHODS.map((method) =>
    methods[method].averages.map((ofSpecies) =>
      ofSpecies.map((average, f) =>
        fragment(`,"unit":${JSON.stringify(manifest.features[f].unit)},"average":${rounded(average)}}`),
      ),
    ),
  );
  /** Rounded contributions that are being written, and their features in order. */
  const values = new Int32Array(manifest.features.length);
  const order = new Int32Array(manifest.features.length);
  // The row that was begun last.
  /** Float32 [features]: those of the row, as the models saw them. */
  let features: Float32Array = new Float32Array(0);
  let [row, options, species] = [0, 0, 0];
  let records: RowRecords;
  let run: PredictorRun;
  return { begin, writePrediction, writeDifference };

  /** Begins the row whose site was just written, and adds to that site what the row includes. */
  function begin(rows: SiteRows, at: number, ofRows: RowRecords, ofRun: PredictorRun): void {
    options = rows.options[at];
    if (options === 0) return;
    [row, records, run] = [at, ofRows, ofRun];
    species = rows.species[row];
    if ((options & (OPTION.site | OPTION.explanation)) === 0) return;
    features = sites.featuresOf(rows, Int32Array.of(row), records.points);
    if ((options & OPTION.site) !== 0) writeSite(records.points[row]);
  }

  function writeSite(point: number): void {
    writer.length--; // its closing brace
    writer.write(MATCHED_ELEVATION);
    writer.writeNumber(valueAt(grid.columns.elevation, point));
    writer.write(NATIVE[(grid.nativeRanges[point] >>> species) & 1]);
    let isFirst = true;
    for (let f = 0; f < features.length; f++) {
      const feature = manifest.features[f];
      if (isPractice(feature)) continue;
      const { p1, p99 } = feature.training;
      if (features[f] >= Math.fround(p1) && features[f] <= Math.fround(p99)) continue; // as the models see it
      if (!isFirst) writer.write(COMMA);
      isFirst = false;
      writer.write(quotedNames[f]);
    }
    writer.write(CLOSE_SITE);
  }

  /** Writes what the row includes in the prediction of a method. @param h index into HORIZONS */
  function writePrediction(method: number, h: number): void {
    if ((options & OPTION.intervals) !== 0) {
      const low = records.low(row, method, h);
      writeInterval(low, records.high(row, method, h));
    }
    if ((options & OPTION.explanation) !== 0) writeExplanation(method, h);
  }

  /** Writes the interval of the difference between the methods. @param reported the difference, in ten-thousandths */
  function writeDifference(h: number, reported: number): void {
    if ((options & OPTION.intervals) === 0) return;
    const [manual, droneSeeded] = run.draws;
    if (manual === undefined || droneSeeded === undefined) throw new Error('no draws of both methods');
    writeInterval(...intervalOf(intervalLevel, reported, row, h, manual, droneSeeded));
  }

  function writeInterval(low: number, high: number): void {
    writer.write(openInterval);
    writer.writeDecimal(low, SCALE_DECIMALS);
    writer.write(HIGH);
    writer.writeDecimal(high, SCALE_DECIMALS);
    writer.write(CLOSE_INTERVAL);
  }

  function writeExplanation(method: number, h: number): void {
    const explanations = run.explanations[method];
    if (explanations === undefined) throw new Error('no explanations of the method');
    const { outputs, positions } = explanations;
    const output = positions[row] * HORIZONS.length + h;
    writer.write(BASELINE);
    writer.writeDecimal(Math.round(outputs.baseline[output] * CONTRIBUTION_SCALE), CONTRIBUTION_DECIMALS);
    writer.write(CONTRIBUTIONS);
    const concerned = featuresOfMethod[method];
    sortBySize(outputs.contributions, output * features.length, concerned);
    for (let rank = 0; rank < concerned.length; rank++) {
      const f = order[rank];
      if (rank > 0) writer.write(COMMA);
      writer.write(open[f]);
      writer.writeDecimal(values[f], CONTRIBUTION_DECIMALS);
      writer.write(VALUE);
      writer.writeNumber(rounded(features[f]));
      writer.write(averages[method][species][f]);
    }
    writer.write(CLOSE_LIST);
  }

  /** Rounds the contributions that start at an offset and orders the features: largest first, ties in the order of features. */
  function sortBySize(contributions: Float32Array, offset: number, concerned: readonly number[]): void {
    concerned.forEach((f, index) => {
      values[f] = Math.round(contributions[offset + f] * CONTRIBUTION_SCALE);
      const size = Math.abs(values[f]);
      let rank = index;
      for (; rank > 0 && Math.abs(values[order[rank - 1]]) < size; rank--) order[rank] = order[rank - 1];
      order[rank] = f;
    });
  }
}
