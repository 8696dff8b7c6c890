import { beforeAll, describe, expect, test } from 'vitest';
import type { PredictorData } from '../../src/prediction/predictor.js';
import { ROW_STATUS, type SiteRows } from '../../src/prediction/site-rows.js';
import { SingleSites, type SiteAnswer } from '../../src/scheduling/single-sites.js';
import { createPlainPredictor } from '../../testing/oracle/plain-prediction.js';
import { dataDir, modelDir, readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { plainAnswer, randomRequests, rowsOf } from '../prediction/support/site-requests.js';

const LIMIT = 1000;

/** The answer to a site that is not turned away. */
async function answered(sites: SingleSites, rows: SiteRows): Promise<SiteAnswer> {
  const answer = await sites.answer('key', rows);
  if (answer === 'turned-away') throw new Error('turned away');
  return answer;
}

describe('single sites', () => {
  let data: PredictorData;
  beforeAll(() => {
    data = readPredictorData();
  });

  test('that come at once, before and after the models are open, each get the plain answer at their own time', async () => {
    const oracle = await createPlainPredictor(dataDir, modelDir, searchRadiusKm);
    const sites = new SingleSites(data, LIMIT);
    const requests = randomRequests(data, 300, seededRandom(5));
    const answerAll = () =>
      Promise.all(
        requests.map(async (request, second) => {
          const at = new Date(Date.UTC(2026, 10, 21, 0, 0, second));
          const { status, json, queueMs, inferenceMs } = await answered(sites, rowsOf([request], at));
          expect(queueMs).toBeGreaterThanOrEqual(0);
          expect(inferenceMs).toBeGreaterThanOrEqual(0);
          const plain = await plainAnswer(oracle, data, request, at);
          if (status === ROW_STATUS.answered) expect(json.toString()).toBe(`${JSON.stringify(plain)},`);
          else
            expect(plain).toBe(status === ROW_STATUS.outsideCoverage ? 'outside_coverage' : 'no_nearby_data');
        }),
      );
    await answerAll();
    await sites.warmUp();
    await answerAll();
  });

  test('are quick by their models alone, however busy their thread is', async () => {
    const sites = new SingleSites(data, LIMIT);
    let isBusy = true;
    const keepBusy = () => {
      const untilMs = performance.now() + 3;
      while (performance.now() < untilMs);
      if (isBusy) setImmediate(keepBusy);
    };
    keepBusy();
    await sites.warmUp();
    isBusy = false;
    expect(sites.isQuick).toBe(true);
  });

  test('are not quick where a row takes long in the models, whose place then is in the workers', async () => {
    const bytes = encodeConstantModel({ ...soundModel(data.manifest.features.length), idleProducts: 20 });
    const slow = { ...data, modelFiles: data.modelFiles.map((file) => ({ ...file, bytes })) };
    const sites = new SingleSites(slow, LIMIT);
    await sites.warmUp();
    expect(sites.isQuick).toBe(false);
  });

  test('fail with what is wrong where the models cannot be used', async () => {
    const [manual] = data.modelFiles;
    const broken = { ...manual!, bytes: manual!.bytes.slice(0, 1000) };
    const sites = new SingleSites({ ...data, modelFiles: [broken, data.modelFiles[1]] }, LIMIT);
    await expect(sites.warmUp()).rejects.toThrow(/manual\.onnx/);
    const rows = rowsOf(randomRequests(data, 1, seededRandom(6)), new Date());
    await expect(sites.answer('key', rows)).rejects.toThrow(/manual\.onnx/);
  });

  test('of a key are answered in the next run but one, whatever another key has waiting', async () => {
    const sites = new SingleSites(data, LIMIT);
    await sites.warmUp();
    const rows = rowsOf(randomRequests(data, 1, seededRandom(7)), new Date());
    let ofOther = 0;
    const flood = Array.from({ length: 500 }, () =>
      sites.answer('other', rows).then(() => {
        ofOther++;
      }),
    );
    await sites.answer('key', rows);
    expect(ofOther).toBeLessThan(2 * 64);
    await Promise.all(flood);
    expect(ofOther).toBe(500);
  });

  test('beyond the limit are turned away, those that came last of the key with most', async () => {
    const sites = new SingleSites(data, LIMIT);
    const rows = rowsOf(randomRequests(data, 1, seededRandom(8)), new Date());
    const flood = Array.from({ length: LIMIT + 10 }, () => sites.answer('other', rows));
    const own = Array.from({ length: 5 }, () => sites.answer('key', rows));
    expect(sites.waiting).toBe(LIMIT);
    const refused = (await Promise.all(flood)).map((answer) => answer === 'turned-away');
    expect(refused).toEqual(refused.map((_, index) => index >= LIMIT - own.length));
    for (const answer of await Promise.all(own)) expect(answer).not.toBe('turned-away');
    expect(sites.waiting).toBe(0);
  });
});
