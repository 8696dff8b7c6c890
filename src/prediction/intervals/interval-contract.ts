import { ArtefactError } from '../artefacts/artefact-error.js';
import type { Artefacts } from '../artefacts/artefacts.js';
import { SiteFeatures } from '../conditions/site-features.js';
import { HORIZONS } from '../dimensions.js';
import type { Probe } from '../model/model-contract.js';
import { SiteRows } from '../site-rows.js';
import type { IntervalModel } from './interval-model.js';
import { SiteErrors } from './site-errors.js';

/** Fewer draws would make the ends of intervals those of single draws. */
const MIN_DRAWS = 30;

/** Rows to check a graph on. */
export interface IntervalProbe {
  /** Float32 [n, features] */
  readonly features: Float32Array;
  /** [n] indexes of species. */
  readonly species: Uint8Array;
  /** Float32 [n, features] */
  readonly errors: Float32Array;
}

/** The features and errors of grid points, at which sites are said to lie. */
export function intervalProbe(
  { grid, manifest }: Pick<Artefacts, 'grid' | 'manifest'>,
  { points, species }: Probe,
): IntervalProbe {
  const width = manifest.features.length;
  const rows = new SiteRows(points.length);
  const siteFeatures = new SiteFeatures(grid, manifest);
  const siteErrors = new SiteErrors(grid, manifest, siteFeatures);
  const features = new Float32Array(points.length * width);
  const errors = new Float32Array(points.length * width);
  points.forEach((point, row) => {
    siteFeatures.write(rows, row, point, features, row * width);
    siteErrors.write(rows, row, point, 0, errors, row * width);
  });
  return { features, species, errors };
}

/**
 * Runs an interval graph and checks the contract: enough draws, probabilities, survival that does not rise with the
 * horizon in any draw.
 * @returns the duration of the run in milliseconds
 * @throws ArtefactError naming the file, the broken rule and the row
 */
export async function checkIntervals(
  model: IntervalModel,
  { features, species, errors }: IntervalProbe,
): Promise<number> {
  const fail = (problem: string): never => {
    throw new ArtefactError(model.file, problem);
  };
  const startedMs = performance.now();
  const draws = await model.run(features, species, errors).catch((error: Error) => {
    return fail(`does not run on the grid's ${model.featureCount} features: ${error.message.split('\n')[0]}`);
  });
  const durationMs = performance.now() - startedMs;
  const perRow = HORIZONS.length * species.length;
  const count = draws.length / perRow;
  if (!Number.isInteger(count) || count < MIN_DRAWS) {
    fail(
      `draws has ${draws.length / species.length} values a row, not ${HORIZONS.length} times at least ${MIN_DRAWS}`,
    );
  }
  draws.forEach((draw, at) => {
    const where = () => `in row ${Math.floor(at / (HORIZONS.length * count))} of the probe`;
    const h = Math.floor(at / count) % HORIZONS.length;
    if (!(draw >= 0 && draw <= 1)) fail(`draws is ${draw}, not from 0 to 1, ${where()}`);
    if (h > 0 && draw > draws[at - count]) fail(`a draw rises at ${HORIZONS[h]} years ${where()}`);
  });
  return durationMs;
}
