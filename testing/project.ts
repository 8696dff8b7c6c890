import KDBush from 'kdbush';
import { loadConfig } from '../src/config.js';
import { readArtefacts } from '../src/prediction/artefacts/artefacts.js';
import type { SharedGrid } from '../src/prediction/artefacts/shared-grid.js';
import type { PredictorData } from '../src/prediction/predictor.js';

/** The folders and the search radius that the service has when nothing is set. */
export const { dataDir, modelDir, searchRadiusKm } = loadConfig({});

/** Room for a few thousand finished predictions, so that tests both find them and crowd them out. */
const cacheBytes = 4 * 1024 * 1024;

/** What the service predicts from, read anew. */
export function readPredictorData(): PredictorData {
  return { ...readArtefacts(dataDir, modelDir), searchRadiusKm, cacheBytes };
}

/** Where a point of the grid lies. */
export function placeOf(
  grid: SharedGrid,
  point: number,
): { readonly latitude: number; readonly longitude: number } {
  const { coords } = KDBush.from(grid.index);
  return { latitude: coords[2 * point + 1], longitude: coords[2 * point] };
}
