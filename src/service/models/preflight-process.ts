import { constants, getPriority, setPriority } from 'node:os';
import { failureOf } from '../../prediction/artefacts/artefact-file.js';
import { identityOf, readArtefacts } from '../../prediction/artefacts/artefacts.js';
import { openPredictor } from '../../prediction/open-predictor.js';
import type { PreflightNotice } from './preflight.js';

// The service has precedence on the processor. A process of lower priority is left as it is: only root may raise it.
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;
if (getPriority() < PRIORITY) setPriority(PRIORITY);

const notify = (notice: PreflightNotice) => process.send?.(notice);

const [dataDir, modelDir, searchRadiusKm] = process.argv.slice(2);
try {
  const artefacts = readArtefacts(dataDir, modelDir);
  const data = { ...artefacts, searchRadiusKm: Number(searchRadiusKm), cacheBytes: 0 };
  await openPredictor(data, (file) => notify({ kind: 'checking', file }));
  notify({ kind: 'valid', identity: identityOf(artefacts) });
} catch (error) {
  notify(failureOf(error as Error));
}
