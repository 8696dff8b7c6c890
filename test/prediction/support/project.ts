import { loadConfig } from '../../../src/config.js';
import { readArtefacts } from '../../../src/prediction/artefacts.js';
import type { PredictorData } from '../../../src/prediction/predictor.js';
import { shareGrid } from '../../../src/prediction/shared-grid.js';

/** The folders and the search radius that the service has when nothing is set. */
export const { dataDir, modelDir, searchRadiusKm } = loadConfig({});

/** What the service predicts from, read anew. */
export function readPredictorData(): PredictorData {
  const { grid, regions, species, manifest } = readArtefacts(dataDir, modelDir);
  const features = manifest.features.map(({ name }) => name);
  return { grid: shareGrid(grid, features), regions, species, manifest, modelDir, searchRadiusKm };
}
