import { expect, test } from 'vitest';
import type { SiteRows } from '../../src/prediction/site-rows.js';
import { MainThreadExecutor } from '../../src/work/main-thread-executor.js';
import { Scheduler } from '../../src/work/scheduler.js';
import { createPlainPredictor } from '../../testing/oracle/plain-prediction.js';
import { dataDir, modelDir, readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { STATUS_CODES } from '../prediction/support/elements.js';
import { plainAnswer, randomRequests, rowsOf } from '../prediction/support/site-requests.js';

const LIMIT = 1000;
const data = readPredictorData();
const submit = (scheduler: Scheduler, keyId: string, rows: SiteRows) =>
  scheduler.submit({ keyId, rows, deadlineMs: performance.now() + 60_000 });
const anySite = () => rowsOf(randomRequests(data, 1, seededRandom(7), 0.4), new Date(), data);

test('simultaneous sites, before and after the models are open, each get the plain answer with their own time', async () => {
  const oracle = await createPlainPredictor(dataDir, modelDir, searchRadiusKm);
  const executor = new MainThreadExecutor(data);
  const scheduler = new Scheduler(executor, LIMIT);
  const requests = randomRequests(data, 300, seededRandom(5), 0.4);
  const answerAll = () =>
    Promise.all(
      requests.map(async (request, second) => {
        const at = new Date(Date.UTC(2026, 10, 21, 0, 0, second));
        const answers = await submit(scheduler, 'key', rowsOf([request], at, data)).result;
        const plain = await plainAnswer(oracle, data, request, at);
        const [unanswered] = answers.unanswered();
        if (unanswered === undefined) expect([...answers.elements()].join()).toBe(JSON.stringify(plain));
        else expect(plain).toBe(STATUS_CODES[unanswered[1]]);
      }),
    );
  await answerAll();
  await executor.encoder;
  await answerAll();
});

test('models that cannot be opened fail the start and the sites with an error that names the file', async () => {
  const [manual] = data.modelFiles;
  const broken = { ...manual, bytes: manual.bytes.slice(0, 1000) };
  const executor = new MainThreadExecutor({ ...data, modelFiles: [broken, data.modelFiles[1]] });
  const scheduler = new Scheduler(executor, LIMIT);
  await expect(executor.encoder).rejects.toThrow(/manual\.onnx/);
  await expect(submit(scheduler, 'key', anySite()).result).rejects.toThrow(/manual\.onnx/);
});

test('a site is answered at the latest in the second run, however many sites of another key wait', async () => {
  const executor = new MainThreadExecutor(data);
  const scheduler = new Scheduler(executor, LIMIT);
  await executor.encoder;
  let answeredOfOther = 0;
  const flood = Array.from({ length: 500 }, () =>
    submit(scheduler, 'other', anySite()).result.then(() => {
      answeredOfOther++;
    }),
  );
  await submit(scheduler, 'key', anySite()).result;
  expect(answeredOfOther).toBeLessThan(2 * executor.maxRunRows);
  await Promise.all(flood);
  expect(answeredOfOther).toBe(500);
});
