import { loadConfig } from '../src/config.js';
import { readArtefacts } from '../src/prediction/artefacts/artefacts.js';
import type { SharedGrid } from '../src/prediction/artefacts/shared-grid.js';
import type { PredictorData } from '../src/prediction/predictor-data.js';

/** The folders and the search radius that the service has when nothing is set. */
export const { dataDir, modelDir, searchRadiusKm } = loadConfig({});

/** Enough for some thousand predictions, so that tests have cache hits and evictions. */
const cacheBytes = 4 * 1024 * 1024;

let data: PredictorData | undefined;

/** What the service predicts from, read once. */
export function readPredictorData(): PredictorData {
  data ??= { ...readArtefacts(dataDir, modelDir), searchRadiusKm, cacheBytes };
  return data;
}

/** The coordinates of a grid point. */
export function placeOf(
  { index }: SharedGrid,
  point: number,
): { readonly latitude: number; readonly longitude: number } {
  return { latitude: index.latitudes[index.row[point]], longitude: index.longitudes[index.column[point]] };
}
