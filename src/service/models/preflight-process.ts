import { constants, setPriority } from 'node:os';
import { failureOf } from '../../prediction/artefacts/artefact-error.js';
import { readArtefacts } from '../../prediction/artefacts/artefacts.js';
import { openPredictor } from '../../prediction/open-predictor.js';
import type { RehearsalOutcome } from './preflight.js';

// The service goes on beside this.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

async function rehearse(
  dataDir: string,
  modelDir: string,
  searchRadiusKm: number,
): Promise<RehearsalOutcome> {
  try {
    const artefacts = readArtefacts(dataDir, modelDir);
    await openPredictor({ ...artefacts, searchRadiusKm, cacheBytes: 0 });
    return { kind: 'sound', digest: artefacts.digest };
  } catch (error) {
    return failureOf(error as Error);
  }
}

const [dataDir, modelDir, searchRadiusKm] = process.argv.slice(2) as [string, string, string];
process.send!(await rehearse(dataDir, modelDir, Number(searchRadiusKm)));
