import { expect, test } from 'vitest';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import { readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';
import { answer, elementsOf } from './support/elements.js';
import { randomRequests, rowsOf, type SiteRequest } from './support/site-requests.js';

interface Explained {
  readonly predictions: readonly {
    readonly survival_probability: number;
    readonly baseline: number;
    readonly contributions: readonly { readonly contribution: number }[];
  }[];
}

test('baseline and contributions as reported add up to the reported survival but for rounding, with conditions and scenarios at their extremes', async () => {
  const data = readPredictorData();
  const predictor = await openPredictor(data);
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
  const rowCount = amount({ short: 2000, long: 50_000 });
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
