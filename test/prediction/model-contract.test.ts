import path from 'node:path';
import { expect, test } from 'vitest';
import { readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import type { PredictorData } from '../../src/prediction/predictor-data.js';
import { readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { withProjectCopy } from '../../testing/project-copy.js';
import { expectRefusal } from './support/artefact-refusal.js';
import { type ConstantModel, encodeConstantModel, soundModel } from './support/constant-model.js';
import { addIntervalModels, encodeIntervalModel } from './support/interval-models.js';

const data = readPredictorData();
const sound = soundModel(data.manifest.features.length);

const [manual, droneSeeded] = data.modelFiles;

/** The project's models with the drone-seeded one replaced. */
function withModel(bytes: Uint8Array): PredictorData {
  return { ...data, modelFiles: [manual, { ...droneSeeded, bytes }] };
}

/** A change of one number of the sound model: at the horizon of 3 years, of the first feature. */
const withContribution = (value: number): ConstantModel['contributions'] =>
  sound.contributions.map((row, h) => (h === 1 ? [value, ...row.slice(1)] : row));
const at3Years = (values: readonly number[], value: number) => values.map((v, h) => (h === 1 ? value : v));

const sumAt3Years = sound.contributions[1].reduce((sum, value) => sum + value);

const shapeProblem = (found: string) =>
  new RegExp(`^does not run on .*: survival is ${found}, not float32\\[\\d+, …\\]$`);

const BROKEN: readonly (readonly [what: string, change: Partial<ConstantModel>, problem: string | RegExp])[] =
  [
    [
      'has another name for an output',
      { rename: { baseline: 'average' } },
      /outputs .*average.*, not features, species and survival,baseline,contributions$/,
    ],
    ['has another name for an input', { inputNames: ['features', 'kind'] }, /^has inputs features,kind/],
    ['takes 5 features', { featureCount: 5 }, /^does not run on features float32\[N, \d+], species int64/],
    ['takes one row', { rows: 1 }, /^does not run on features .* Got: \d+ Expected: 1 /],
    ['takes as many rows as the check has', { rows: 8 * data.species.length }, / Got: 4 Expected: \d+ /],
    ['is random', { lastOperator: 'RandomUniformLike' }, /^survival of a row is .* among others, .* alone$/],
    ['gives NaN for a row alone', { trap: { kind: 'NaN' } }, /^survival of a row .* others, but NaN alone$/],
    // Of the working folder, where onnxruntime would look.
    ['has weights in another file', { survivalFile: 'package.json' }, /^has weights in another file/],
    ['gives integers', { lastOperator: 'Shape' }, shapeProblem('int64\\[2\\]')],
    ['gives the horizons as rows', { lastOperator: 'Transpose' }, shapeProblem('float32\\[3,\\d+\\]')],
    [
      'explains another number of features',
      {
        contributions: sound.contributions.map((row) => row.slice(1)),
        featureCount: sound.contributions[0].length,
      },
      /^contributions has \d+ values a row, not \d+$/,
    ],
    [
      'gives survival that is NaN',
      { survival: at3Years(sound.survival, Number.NaN) },
      /^survival is NaN, not from 0 to 1, at grid point \d+, species \d+$/,
    ],
    [
      'gives an infinite baseline',
      { baseline: at3Years(sound.baseline, Number.POSITIVE_INFINITY) },
      /^baseline is Infinity, not from 0 to 1/,
    ],
    ['gives a contribution of NaN', { contributions: withContribution(Number.NaN) }, /^contributions is NaN/],
    [
      'gives survival above 1',
      { survival: [1.1, 0.6, 0.4], baseline: [1.1, 0.6, 0.4] },
      /^survival is 1\.1\d*, not from 0 to 1, at grid point/,
    ],
    ['gives survival below 0', { survival: [0.8, 0.6, -0.1] }, /^survival is -0\.1\d*, not from 0 to 1/],
    [
      'gives survival that rises with the horizon',
      { survival: at3Years(sound.survival, 0.9), baseline: at3Years(sound.baseline, 0.9 - sumAt3Years) },
      /^survival rises at 3 years at grid point/,
    ],
    [
      'gives contributions that do not sum to survival',
      { contributions: withContribution(0.0403) },
      /^survival at 3 years is .*, but baseline \+ contributions is .* at grid point/,
    ],
    [
      'gives a contribution above 1',
      // Its counterweight keeps the sum.
      { contributions: sound.contributions.map((row) => [row[0] + 1.5, row[1] - 1.5, ...row.slice(2)]) },
      /^contributions is 1\.5\d*, not from -1 to 1, at grid point/,
    ],
    [
      'gives a baseline that is no probability',
      {
        baseline: sound.baseline.map((value) => value - 0.9),
        contributions: sound.contributions.map((row) => [row[0] + 0.9, ...row.slice(1)]),
      },
      /^baseline is -0\.\d+, not from 0 to 1/,
    ],
  ];

test('a model of constants that keeps the contract is accepted', async () => {
  expect((await openPredictor(withModel(encodeConstantModel(sound)))).models).toHaveLength(2);
});

test.each(BROKEN)(
  'a model that %s is refused with an error that names its file',
  async (_, change, problem) => {
    const replaced = withModel(encodeConstantModel({ ...sound, ...change }));
    await expectRefusal(() => openPredictor(replaced), droneSeeded.path, problem);
  },
);

test('a model that onnxruntime cannot read is refused with an error that names its file', async () => {
  const damages = ['', 'not a model', droneSeeded.bytes.subarray(0, 5000), new Uint8Array(5000).fill(0xff)];
  const problem = /^onnxruntime cannot load it: |^has inputs /;
  for (const bytes of damages.map((damage) => Buffer.from(damage)))
    await expectRefusal(() => openPredictor(withModel(bytes)), droneSeeded.path, problem);
});

test('a model of the manual method that breaks the contract is refused too', async () => {
  const bytes = encodeConstantModel({ ...sound, survival: [0.1, 0.2, 0.3] });
  const replaced = { ...data, modelFiles: [{ ...manual, bytes }, droneSeeded] };
  await expectRefusal(() => openPredictor(replaced), manual.path, 'survival');
});

type Encode = (manifest: Manifest) => Buffer;
const faulty =
  (faults: Parameters<typeof encodeIntervalModel>[2]): Encode =>
  (manifest) =>
    encodeIntervalModel(manifest, 1, faults);

/** Checks the opening of the project's models with interval graphs. @param encode the second graph */
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
    /^does not run on features float32\[N, \d+], errors float32\[N, \d+], species int64\[N]: /,
  ],
])('an interval graph that %s is refused', (_, encode, problem) =>
  withSecondGraph(encode, (open, file) => expectRefusal(open, file, problem)),
);

test('an interval graph that keeps the contract is accepted', () =>
  withSecondGraph(faulty({}), async (open) => {
    expect(await open()).toHaveProperty('intervalModels.length', 2);
  }));
