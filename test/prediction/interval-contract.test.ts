import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import { searchRadiusKm } from '../../testing/project.js';
import { withProjectCopy } from '../../testing/project-copy.js';
import { expectRefusal } from './support/artefact-refusal.js';
import { encodeConstantModel, soundModel } from './support/constant-model.js';
import { addIntervalModels, encodeIntervalModel } from './support/interval-models.js';

type Encode = (manifest: Manifest) => Buffer;
const faulty =
  (faults: Parameters<typeof encodeIntervalModel>[2]): Encode =>
  (manifest) =>
    encodeIntervalModel(manifest, 1, faults);

/** Opens the project's models with interval graphs, and says how that ends. @param encode the second graph */
function withSecondGraph(
  encode: Encode,
  check: (open: () => Promise<unknown>, file: string) => Promise<void>,
) {
  return withProjectCopy(async (copy) => {
    addIntervalModels(copy, (manifest, method) =>
      method === 0 ? encodeIntervalModel(manifest, method) : encode(manifest),
    );
    const data = { ...readArtefacts(copy.dataDir, copy.modelDir), searchRadiusKm, cacheBytes: 0 };
    await check(() => openPredictor(data), path.join(copy.modelDir, 'drone_seeded-intervals.onnx'));
  });
}

test.each<[string, Encode, string | RegExp]>([
  ['is no ONNX file', () => Buffer.from('a graph'), /^onnxruntime cannot load it/],
  [
    'is a survival model',
    ({ features }) => encodeConstantModel(soundModel(features.length)),
    /^has inputs features,species and outputs .*, not features, species, errors and draws$/,
  ],
  ['has an output of another name', faulty({ outputName: 'worlds' }), /outputs worlds/],
  ['has too few draws', faulty({ drawCount: 29 }), 'draws has 87 values a row, not 3 times at least 30'],
  [
    'has draws above 1',
    faulty({ shift: 0.9 }),
    /^draws is 1\.\d+, not from 0 to 1, in row \d+ of the probe$/,
  ],
  ['has draws below 0', faulty({ shift: -0.9 }), /^draws is -0\.\d+, not from 0 to 1, /],
  ['has draws that are no numbers', faulty({ shift: Number.NaN }), /^draws is NaN, not from 0 to 1, /],
  ['has draws that rise', faulty({ change: 0.5 }), /^a draw rises at 3 years in row 0 of the probe$/],
  [
    'takes other features',
    ({ features, species }) => encodeIntervalModel({ features: features.slice(1), species }, 1),
    /^does not run on the grid's \d+ features: /,
  ],
])('an interval graph that %s is refused', (_, encode, problem) =>
  withSecondGraph(encode, (open, file) => expectRefusal(open, file, problem)),
);

test('an interval graph that keeps the contract is accepted, and one that was changed since is not', () =>
  withProjectCopy(async (copy) => {
    addIntervalModels(copy);
    const artefacts = readArtefacts(copy.dataDir, copy.modelDir);
    const predictor = await openPredictor({ ...artefacts, searchRadiusKm, cacheBytes: 0 });
    expect(predictor.intervalModels).toHaveLength(2);
    const file = path.join(copy.modelDir, 'manual-intervals.onnx');
    appendFileSync(file, '!');
    await expectRefusal(() => readArtefacts(copy.dataDir, copy.modelDir), file, /^SHA-256 is /);
  }));
