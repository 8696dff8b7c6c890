import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { openSurvivalModel } from '../../src/prediction/model/model-session.js';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import { Predictor } from '../../src/prediction/predictor.js';
import type { PredictorData } from '../../src/prediction/predictor-data.js';
import { createPlainPredictor, type PlainPredictor } from '../../testing/oracle/plain-prediction.js';
import { dataDir, modelDir, placeOf, readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';
import { encodeConstantModel, soundModel } from './support/constant-model.js';
import { answer, elementsOf } from './support/elements.js';
import { plainAnswer, randomRequests, rowsOf, type SiteRequest } from './support/site-requests.js';

const GENERATED_AT = new Date('2026-11-20T23:59:59.007Z');

const FAILURES: readonly unknown[] = ['outside_coverage', 'no_nearby_data', 'elevation_mismatch'];

let data: PredictorData;
let predictor: Predictor;
let oracle: PlainPredictor;
beforeAll(async () => {
  data = readPredictorData();
  predictor = await openPredictor(data);
  oracle = await createPlainPredictor(dataDir, modelDir, searchRadiusKm);
});

// The answers to random rows with options are compared in http/random-options.test.ts.
const expectPlainAnswers = async (requests: readonly SiteRequest[], of = predictor) => {
  const elements = elementsOf(await answer(of, data, rowsOf(requests, GENERATED_AT, data)));
  for (const [row, request] of requests.entries()) {
    const plain = await plainAnswer(oracle, data, request, GENERATED_AT);
    expect(elements[row]).toBe(typeof plain === 'string' ? plain : JSON.stringify(plain));
  }
  return elements;
};

test.each([
  ['without a cache', 0],
  ['with a cache far smaller than the batches', 20_000],
  ['with a cache for all of them', 8_000_000],
])(
  'the answers to random rows equal those of the plain implementation byte for byte, with failures in their places, %s',
  async (_, cacheBytes) => {
    const random = seededRandom(20_261_120);
    const cached = await openPredictor({ ...data, cacheBytes });
    const seen = { answered: 0, outside_coverage: 0, no_nearby_data: 0 };
    const sent: SiteRequest[] = [];
    const rowCount = amount({ short: 500, long: 10_000 });
    while (sent.length < rowCount) {
      const size = random() < 0.3 ? 1 + Math.floor(4 * random()) : 1 + Math.floor(250 * random());
      // Half of them recur: as they were, or the same place for another species and method.
      const requests = randomRequests(data, size, random).map((request) => {
        const before = sent[Math.floor(2 * sent.length * random())];
        if (before === undefined) return request;
        return random() < 0.5
          ? before
          : { ...request, latitude: before.latitude, longitude: before.longitude };
      });
      sent.push(...requests);
      for (const element of await expectPlainAnswers(requests, cached))
        seen[FAILURES.includes(element) ? (element as keyof typeof seen) : 'answered']++;
    }
    // Without many of each kind the test would show nothing.
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(rowCount / 60);
  },
);

test('every species is predicted under both methods as the plain implementation predicts it', async () => {
  const random = seededRandom(31);
  const requests = data.species.flatMap((_, species) =>
    (['manual', 'drone_seeded', undefined] as const).map((method) => ({
      ...randomRequests(data, 1, random)[0],
      // On a grid point, where no row fails.
      ...placeOf(data.grid, 97 * species),
      species,
      method,
    })),
  );
  const elements = await expectPlainAnswers(requests);
  expect(elements.filter((element) => FAILURES.includes(element))).toEqual([]);
});

test('no JSON is written if there are no rows or every row failed', async () => {
  expect(elementsOf(await answer(predictor, data, rowsOf([], GENERATED_AT, data)))).toEqual([]);
  const ocean = { latitude: 44, longitude: -126, species: 0, method: 'manual', horizons: [1] } as const;
  const answers = await answer(predictor, data, rowsOf([ocean, ocean], GENERATED_AT, data));
  expect(elementsOf(answers)).toEqual(['outside_coverage', 'outside_coverage']);
  expect([...answers.ends]).toEqual([0, 0]);
});

test('a run that reuses the memory of a run that failed in one model has the right answers', async () => {
  const forOneRow = encodeConstantModel({ ...soundModel(data.manifest.features.length), rows: 1 });
  const models = await Promise.all(
    [{ path: 'one-row.onnx', bytes: forOneRow }, data.modelFiles[1]].map((file) =>
      openSurvivalModel(file, data.manifest),
    ),
  );
  const failing = new Predictor(data, models);
  const request = { ...placeOf(data.grid, 0), species: 3, method: undefined, horizons: [5] } as const;
  const rows = rowsOf([request, request], GENERATED_AT, data);
  await expect(answer(failing, data, rows)).rejects.toThrow();
  rows.species.fill(4);
  await nextTurn();
  await expectPlainAnswers([{ ...request, species: 4, method: 'drone_seeded' }], failing);
});

test('each answer has the time of its own request when rows of several requests share a batch', async () => {
  const request = { ...placeOf(data.grid, 0), species: 3, method: undefined, horizons: [5] } as const;
  const times = ['2026-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'];
  const rows = rowsOf([request, request, request], GENERATED_AT, data);
  for (const [row, time] of times.entries()) rows.generatedAtMs[row] = Date.parse(time);
  const elements = elementsOf(await answer(predictor, data, rows));
  expect(elements.map((element) => JSON.parse(element).generated_at)).toEqual(times);
});

interface Explained {
  readonly predictions: readonly {
    readonly survival_probability: number;
    readonly baseline: number;
    readonly contributions: readonly { readonly contribution: number }[];
  }[];
}

test('baseline and contributions as reported add up to the reported survival but for rounding, with conditions and scenarios at their extremes', async () => {
  const random = seededRandom(612);
  const either = <Value>(one: Value, other: Value) => (random() < 0.5 ? one : other);
  const withExtremes = (request: SiteRequest): SiteRequest => ({
    ...request,
    method: either('manual', 'drone_seeded'),
    options: {
      conditions: Object.fromEntries(
        data.manifest.features
          .filter(() => random() < 0.5)
          .map(({ name, minimum, maximum }) => [name, either(minimum, maximum)]),
      ),
      ...(random() < 0.3 && {
        scenario: { warming_c: either(-5, 10), precipitation_change_percent: either(-80, 200) },
      }),
      include: ['explanation'],
    },
  });
  const rowCount = amount({ short: 500, long: 50_000 });
  let predictionCount = 0;
  let largestError = 0;
  for (let sent = 0; sent < rowCount; sent += 250) {
    const requests = randomRequests(data, 250, random).map(withExtremes);
    const elements = elementsOf(await answer(predictor, data, rowsOf(requests, new Date(), data)));
    for (const element of elements.filter((text) => text.startsWith('{'))) {
      for (const prediction of (JSON.parse(element) as Explained).predictions) {
        const { survival_probability, baseline, contributions } = prediction;
        const sum = contributions.reduce((total, { contribution }) => total + contribution, baseline);
        largestError = Math.max(largestError, Math.abs(sum - survival_probability));
        predictionCount++;
      }
    }
  }
  // Most places are near a grid point.
  expect(predictionCount).toBeGreaterThan(rowCount);
  // Half a unit of the fourth decimal, and of the sixth of twelve numbers; promised are 0.0005.
  expect(largestError).toBeLessThan(0.000_06);
});
