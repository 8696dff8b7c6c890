import { constants, setPriority } from 'node:os';
import { failureOf } from '../../prediction/artefacts/artefact-error.js';
import { identityOf, readArtefacts } from '../../prediction/artefacts/artefacts.js';
import { openPredictor } from '../../prediction/open-predictor.js';
import type { PreflightOutcome } from './preflight.js';

// The service has the processor first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

async function check(dataDir: string, modelDir: string, searchRadiusKm: number): Promise<PreflightOutcome> {
  try {
    const artefacts = readArtefacts(dataDir, modelDir);
    await openPredictor({ ...artefacts, searchRadiusKm, cacheBytes: 0 });
    return { kind: 'valid', identity: identityOf(artefacts) };
  } catch (error) {
    return failureOf(error as Error);
  }
}

const [dataDir, modelDir, searchRadiusKm] = process.argv.slice(2);
process.send?.(await check(dataDir, modelDir, Number(searchRadiusKm)));
