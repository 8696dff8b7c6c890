import { oneLine } from '../output/printable.js';
import type { Artefacts } from './artefacts/artefacts.js';
import { isPractice } from './artefacts/manifest.js';
import { HORIZONS } from './dimensions.js';
import {
  type IntervalModel,
  type ModelSession,
  openIntervalModel,
  openSurvivalModel,
  type SurvivalModel,
} from './model/model-session.js';
import { Predictor } from './predictor.js';
import type { PredictorData } from './predictor-data.js';
import { siteFeatures } from './site-features.js';
import { SiteRows } from './site-rows.js';

/** Allowed difference between survival and baseline + contributions, and between outputs of a row alone and among others. */
const TOLERANCE = 1e-4;

/** With fewer draws, the ends of an interval would be single draws. */
const MIN_DRAWS = 30;

/** Grid points and species to check a model on: pairs of equal index. */
export interface Probe {
  readonly points: Int32Array;
  readonly species: Uint8Array;
}

/**
 * Opens the models and checks them on a probe of the grid: every species, at 8 points spread over it.
 * @param onCheck is called with the file of a model before the model is run, which may never return
 * @throws ArtefactError where a model cannot be loaded or breaks the contract
 */
export async function openPredictor(
  data: PredictorData,
  onCheck: (file: string) => void = () => {},
): Promise<Predictor> {
  const predictor = await openUnchecked(data);
  const { grid, species } = data;
  const count = 8 * species.length;
  const points = Int32Array.from({ length: count }, (_, i) => Math.floor((i * grid.pointCount) / count));
  const probe = { points, species: Uint8Array.from(points, (_, i) => i % species.length) };
  for (const model of predictor.models) {
    onCheck(model.file);
    await checkModel(model, data, probe);
  }
  for (const model of predictor.intervalModels) {
    onCheck(model.file);
    await checkIntervals(model, data, probe);
  }
  return predictor;
}

/** Opens models that another thread checks: slow ones would block this one. @throws ArtefactError where one cannot be loaded */
export async function openUnchecked(data: PredictorData): Promise<Predictor> {
  const { modelFiles, intervalFiles, manifest } = data;
  // One by one: each blocks the thread while it loads, and none may be loading when another's error ends the worker.
  const models = [];
  for (const file of modelFiles) models.push(await openSurvivalModel(file, manifest));
  const intervalModels = [];
  for (const file of intervalFiles) intervalModels.push(await openIntervalModel(file, manifest));
  return new Predictor(data, models, intervalModels);
}

/**
 * Runs a model on a probe of the grid and checks the contract: shapes, probabilities, survival that does not rise with the
 * horizon, contributions that sum to survival - baseline, none of practice at its default, rows that do not affect others.
 * @returns the duration of the run in milliseconds
 * @throws ArtefactError naming the model file, the broken rule, the grid point and the species
 */
export async function checkModel(
  model: SurvivalModel,
  { grid, manifest }: Pick<Artefacts, 'grid' | 'manifest'>,
  { points, species }: Probe,
): Promise<number> {
  const width = model.featureCount;
  const list = Int32Array.from(points.keys());
  const features = siteFeatures(grid, manifest).featuresOf(new SiteRows(list.length), list, points);
  const { survival, baseline, contributions, durationMs } = await tryRun(model, { features }, species);
  const where = (row: number) => `at grid point ${points[row]}, species ${species[row]}`;
  const horizons = HORIZONS.length;
  for (const { name, values, perRow, min } of [
    { name: 'survival', values: survival, perRow: horizons, min: 0 },
    { name: 'baseline', values: baseline, perRow: horizons, min: 0 },
    // A difference of two probabilities.
    { name: 'contributions', values: contributions, perRow: horizons * width, min: -1 },
  ]) {
    if (values.length !== points.length * perRow)
      model.refuse(`${name} has ${values.length / points.length} values a row, not ${perRow}`);
    const bad = values.findIndex((value) => !(value >= min && value <= 1));
    if (bad !== -1)
      model.refuse(`${name} is ${values[bad]}, not from ${min} to 1, ${where(Math.floor(bad / perRow))}`);
  }
  for (let at = 0; at < survival.length; at++) {
    const row = Math.floor(at / horizons);
    const years = HORIZONS[at % horizons];
    if (at % horizons > 0 && survival[at] > survival[at - 1])
      model.refuse(`survival rises at ${years} years ${where(row)}`);
    let sum = baseline[at];
    for (let f = 0; f < width; f++) {
      const contribution = contributions[at * width + f];
      if (contribution !== 0 && isPractice(manifest.features[f]))
        model.refuse(`${manifest.features[f].name} contributes ${contribution} at its default ${where(row)}`);
      sum += contribution;
    }
    if (Math.abs(sum - survival[at]) > TOLERANCE) {
      const sums = `but baseline + contributions is ${sum} ${where(row)}`;
      model.refuse(`survival at ${years} years is ${survival[at]}, ${sums}`);
    }
  }
  return durationMs;
}

/**
 * Runs an interval graph for sites at the grid points of a probe and checks the contract: enough draws, probabilities,
 * survival that does not rise with the horizon in any draw.
 * @returns the duration of the run in milliseconds
 * @throws ArtefactError naming the file, the broken rule and the row
 */
export async function checkIntervals(
  model: IntervalModel,
  { grid, manifest }: Pick<Artefacts, 'grid' | 'manifest'>,
  { points, species }: Probe,
): Promise<number> {
  const rows = new SiteRows(points.length);
  const sites = siteFeatures(grid, manifest);
  const list = Int32Array.from(points.keys());
  const features = sites.featuresOf(rows, list, points);
  const errors = sites.errorsOf(rows, list, points, new Float64Array(points.length));
  const { draws, durationMs } = await tryRun(model, { features, errors }, species);
  const horizons = HORIZONS.length;
  const perRow = draws.length / species.length;
  const count = perRow / horizons;
  if (!Number.isInteger(count) || count < MIN_DRAWS)
    model.refuse(`draws has ${perRow} values a row, not ${horizons} times at least ${MIN_DRAWS}`);
  draws.forEach((draw, at) => {
    const where = () => `in row ${Math.floor(at / (horizons * count))} of the probe`;
    const h = Math.floor(at / count) % horizons;
    if (!(draw >= 0 && draw <= 1)) model.refuse(`draws is ${draw}, not from 0 to 1, ${where()}`);
    if (h > 0 && draw > draws[at - count]) model.refuse(`a draw rises at ${HORIZONS[h]} years ${where()}`);
  });
  return durationMs;
}

/** Runs a model, and its first row alone. @throws ArtefactError where it does not run, or the other rows change that one */
async function tryRun<Output extends string>(
  model: ModelSession<Output>,
  columns: Readonly<Record<string, Float32Array>>,
  species: Uint8Array,
) {
  const width = model.featureCount;
  const run = (rows: typeof columns, kinds: Uint8Array) =>
    model.run(rows, kinds).catch(({ message }: Error) => {
      const inputs = Object.keys(columns).map((name) => `${name} float32[N, ${width}], `);
      return model.refuse(`does not run on ${inputs.join('')}species int64[N]: ${oneLine(message)}`);
    });
  const startedMs = performance.now();
  const outputs = await run(columns, species);
  const durationMs = performance.now() - startedMs;
  const first = Object.entries(columns).map(([name, values]) => [name, values.subarray(0, width)]);
  const alone = await run(Object.fromEntries(first), species.subarray(0, 1));
  for (const [name, values] of Object.entries<Float32Array>(alone)) {
    const among = outputs[name as Output];
    const isEqual = (value: number, i: number) =>
      Object.is(value, among[i]) || Math.abs(value - among[i]) <= TOLERANCE;
    const at = values.findIndex((value, i) => !isEqual(value, i));
    if (at !== -1) model.refuse(`${name} of a row is ${among[at]} among others, but ${values[at]} alone`);
  }
  return { ...outputs, durationMs };
}
