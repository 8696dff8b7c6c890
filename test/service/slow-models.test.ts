import { afterAll, expect, test } from 'vitest';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

afterAll(() => releases.remove());
const releases = new Releases();
releases.put(2);
releases.replaceModels({ idleProducts: 60 });
const service = await serviceOfFile({ ...releases.environment, SINGLE_SITES: 'workers' });

test('slow models answer single sites in the workers if SINGLE_SITES says so', async () => {
  const inferenceMs = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const response = await service.post('/v1/predict', PREDICT_REQUEST);
      const { predictions } = (await response.json()) as {
        predictions: { survival_probability: number }[];
      };
      expect(predictions.map(({ survival_probability }) => survival_probability)).toEqual(
        releases.evenSurvival,
      );
      return Number(/inference;dur=([\d.]+)/.exec(response.headers.get('server-timing')!)![1]);
    }),
  );
  // If the models were not slow, the test would prove nothing.
  expect(Math.max(...inferenceMs)).toBeGreaterThan(2);
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  expect(metrics).toContain('\nnurselog_single_sites_on_main_thread 0\n');
});
