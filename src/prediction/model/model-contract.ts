import { ArtefactError } from '../artefacts/artefact-error.js';
import type { SharedGrid } from '../artefacts/shared-grid.js';
import { HORIZONS } from '../dimensions.js';
import type { SurvivalModel } from './survival-model.js';

/** Allowed difference between survival and baseline + contributions. */
const SUM_TOLERANCE = 1e-4;

/** Grid points and species to check a model on: pairs of equal index. */
export interface Probe {
  readonly points: Int32Array;
  readonly species: Uint8Array;
}

/** Every species at points spread over the grid: few enough to check at every start. */
export function startProbe(grid: SharedGrid, speciesCount: number): Probe {
  const perSpecies = 8;
  const count = speciesCount * perSpecies;
  const points = Int32Array.from({ length: count }, (_, i) => Math.floor((i * grid.pointCount) / count));
  return { points, species: Uint8Array.from(points, (_, i) => i % speciesCount) };
}

/**
 * Runs a model on a probe of the grid and checks the contract: shapes, finite numbers in the range of probabilities,
 * survival that does not rise with the horizon, contributions that sum to survival - baseline.
 * @returns the duration of the run in milliseconds
 * @throws ArtefactError naming the model file, the broken rule, the grid point and the species
 */
export async function checkModel(
  model: SurvivalModel,
  grid: SharedGrid,
  { points, species }: Probe,
): Promise<number> {
  const count = points.length;
  const width = model.featureCount;
  const features = new Float32Array(count * width);
  points.forEach((point, row) => {
    features.set(grid.features.subarray(point * width, (point + 1) * width), row * width);
  });
  const fail = (problem: string): never => {
    throw new ArtefactError(model.file, problem);
  };
  const startedMs = performance.now();
  const { survival, baseline, contributions } = await model.run(features, species).catch((error: Error) => {
    return fail(`does not run on the grid's ${width} features: ${error.message.split('\n')[0]}`);
  });
  const durationMs = performance.now() - startedMs;

  const horizons = HORIZONS.length;
  const outputs = [
    { name: 'survival', values: survival, perRow: horizons, min: 0 },
    { name: 'baseline', values: baseline, perRow: horizons, min: 0 },
    // A difference of two probabilities.
    { name: 'contributions', values: contributions, perRow: horizons * width, min: -1 },
  ];
  for (const { name, values, perRow, min } of outputs) {
    if (values.length !== count * perRow)
      fail(`${name} has ${values.length / count} values a row, not ${perRow}`);
    const bad = values.findIndex((value) => !(value >= min && value <= 1));
    if (bad !== -1)
      fail(`${name} is ${values[bad]}, not from ${min} to 1, ${where(Math.floor(bad / perRow))}`);
  }
  for (let at = 0; at < survival.length; at++) {
    const row = Math.floor(at / horizons);
    const probability = survival[at];
    const years = HORIZONS[at % horizons];
    if (at % horizons > 0 && probability > survival[at - 1])
      fail(`survival rises at ${years} years ${where(row)}`);
    let sum = baseline[at];
    for (let f = 0; f < width; f++) sum += contributions[at * width + f];
    if (Math.abs(sum - probability) > SUM_TOLERANCE) {
      fail(
        `survival at ${years} years is ${probability}, but baseline + contributions is ${sum} ${where(row)}`,
      );
    }
  }
  return durationMs;

  function where(row: number): string {
    return `at grid point ${points[row]}, species ${species[row]}`;
  }
}
