import { beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../bench/random.js';
import { SingleSites } from '../../src/pool/single-sites.js';
import type { PredictorData } from '../../src/prediction/predictor.js';
import { ROW_STATUS } from '../../src/prediction/site-rows.js';
import { createPlainPredictor } from '../oracle/plain-prediction.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { dataDir, modelDir, readPredictorData, searchRadiusKm } from '../prediction/support/project.js';
import { plainAnswer, randomRequests, rowsOf } from '../prediction/support/site-requests.js';

describe('single sites', () => {
  let data: PredictorData;
  beforeAll(() => {
    data = readPredictorData();
  });

  test('that come at once, before and after the models are open, each get the plain answer at their own time', async () => {
    const oracle = await createPlainPredictor(dataDir, modelDir, searchRadiusKm);
    const sites = new SingleSites(data);
    const requests = randomRequests(data, 300, seededRandom(5));
    const answerAll = () =>
      Promise.all(
        requests.map(async (request, second) => {
          const at = new Date(Date.UTC(2026, 10, 21, 0, 0, second));
          const { status, json, queueMs, inferenceMs } = await sites.answer(rowsOf([request], at));
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
    const sites = new SingleSites(data);
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
    const sites = new SingleSites({
      ...data,
      modelFiles: data.modelFiles.map((file) => ({ ...file, bytes })),
    });
    await sites.warmUp();
    expect(sites.isQuick).toBe(false);
  });

  test('fail with what is wrong where the models cannot be used', async () => {
    const [manual] = data.modelFiles;
    const broken = { ...manual!, bytes: manual!.bytes.slice(0, 1000) };
    const sites = new SingleSites({ ...data, modelFiles: [broken, data.modelFiles[1]!] });
    await expect(sites.warmUp()).rejects.toThrow(/manual\.onnx/);
    const rows = rowsOf(randomRequests(data, 1, seededRandom(6)), new Date());
    await expect(sites.answer(rows)).rejects.toThrow(/manual\.onnx/);
  });
});
