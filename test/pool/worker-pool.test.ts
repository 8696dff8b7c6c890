import { afterAll, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../src/pool/worker-pool.js';
import type { ModelFile } from '../../src/prediction/artefacts/manifest.js';
import type { PredictorData } from '../../src/prediction/predictor.js';
import { readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { expectRefusal } from '../prediction/support/artefact-refusal.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { elementsOf } from '../prediction/support/elements.js';
import { randomRequests, rowsOf } from '../prediction/support/site-requests.js';
import { WorkerThreads } from './support/worker-threads.js';

const GENERATED_AT = new Date('2026-11-20T12:00:00Z');
const data = readPredictorData();
const [manual, droneSeeded] = data.modelFiles as [ModelFile, ModelFile];
const threads = new WorkerThreads();
afterAll(() => threads.stopWatching());

async function withPool(
  size: number,
  given: PredictorData,
  check: (pool: WorkerPool, errors: Error[]) => Promise<void>,
): Promise<void> {
  const errors: Error[] = [];
  const pool = new WorkerPool(size, given, {
    onError: (error) => errors.push(error),
    onReadyChange: () => {},
  });
  try {
    await check(pool, errors);
  } finally {
    await pool.close();
  }
}

const someRows = rowsOf(randomRequests(data, 20, seededRandom(3)), GENERATED_AT);

/** The elements of the answers to some rows. */
async function answerSome(pool: WorkerPool): Promise<string[]> {
  let elements: string[] = [];
  await pool.answer(
    someRows.count,
    (rows) => rows.copyRows(0, someRows, 0, someRows.count),
    (answers) => {
      elements = elementsOf(answers);
    },
  );
  return elements;
}

describe('the worker pool', () => {
  test.each([1, 3])('of %d is warm when every worker is, and no thread outlives it', async (size) => {
    await withPool(size, data, async (pool) => {
      expect(pool.ready).toBe(0);
      await pool.warmUp();
      expect(pool.ready).toBe(size);
      expect(threads.count).toBe(size);
    });
    expect(threads.count).toBe(0);
  });

  test('answers the same rows alike on every worker', async () => {
    await withPool(2, data, async (pool) => {
      await pool.warmUp();
      const [first, ...others] = await Promise.all([answerSome(pool), answerSome(pool)]);
      others.push(...(await Promise.all([answerSome(pool), answerSome(pool)])));
      for (const other of others) expect(other).toEqual(first);
    });
  });

  test('refuses a model that breaks the contract, naming its file', async () => {
    const sound = soundModel(data.manifest.features.length);
    const rising = { survival: [0.2, 0.3, 0.4], baseline: [0.2, 0.3, 0.4] };
    const modelFiles = [{ ...manual, bytes: encodeConstantModel({ ...sound, ...rising }) }, droneSeeded];
    await withPool(2, { ...data, modelFiles }, async (pool) => {
      await expectRefusal(() => pool.warmUp(), manual.path, 'survival');
      expect(pool.ready).toBe(0);
    });
  });

  test('refuses a model that onnxruntime cannot read, naming its file', async () => {
    const modelFiles = [manual, { ...droneSeeded, bytes: Buffer.from('damaged') }];
    await withPool(1, { ...data, modelFiles }, (pool) =>
      expectRefusal(() => pool.warmUp(), droneSeeded.path, 'onnxruntime cannot load it'),
    );
  });

  test('replaces workers that died while idle and answers as before', async () => {
    await withPool(2, data, async (pool) => {
      await pool.warmUp();
      const before = await answerSome(pool);
      await threads.terminateAll();
      expect(pool.ready).toBe(0);
      expect(await answerSome(pool)).toEqual(before);
      expect(threads.count).toBe(2);
    });
  });

  test('answers with the workers it has while others are missing, and fails what is left when it ends', async () => {
    let late: Promise<string[]> | undefined;
    await withPool(2, data, async (pool) => {
      await pool.warmUp();
      await threads.loseOne();
      expect(pool.ready).toBe(1);
      const answers = await Promise.all([answerSome(pool), answerSome(pool), answerSome(pool)]);
      for (const elements of answers) expect(elements).toEqual(answers[0]);
      await pool.close();
      late = answerSome(pool);
    });
    threads.bearAgain();
    await expect(late).rejects.toThrow('ended');
  });

  test('fails a run whose rows cannot be written, and goes on', async () => {
    await withPool(1, data, async (pool) => {
      await pool.warmUp();
      const fill = () => {
        throw new Error('of a test');
      };
      await expect(pool.answer(1, fill, () => {})).rejects.toThrow('of a test');
      expect(await answerSome(pool)).toHaveLength(someRows.count);
    });
  });
});
