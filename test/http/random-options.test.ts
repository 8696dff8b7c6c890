import { expect, test } from 'vitest';
import { readArtefacts } from '../../src/prediction/artefacts/artefacts.js';
import { createPlainPredictor } from '../../testing/oracle/plain-prediction.js';
import { readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { seededRandom } from '../../testing/random.js';
import { addIntervalModels } from '../prediction/support/interval-models.js';
import { plainAnswer, randomRequests, type SiteRequest } from '../prediction/support/site-requests.js';
import { amount } from '../support/length.js';
import { serviceOfFile } from '../support/service.js';

const BATCH = 250;

const copy = new ProjectCopy();
addIntervalModels(copy);
const data = { ...readPredictorData(), ...readArtefacts(copy.dataDir, copy.modelDir) };
const oracle = await createPlainPredictor(copy.dataDir, copy.modelDir, searchRadiusKm);
const service = await serviceOfFile({ MODEL_DIR: copy.modelDir });
copy.remove();

function bodyOf({ species, method, options, ...place }: SiteRequest): object {
  const { species_code } = data.species[species];
  return { ...place, species_code, ...(method && { planting_method: method }), ...options };
}

/** An answer without its time, or the code of an error. */
function withoutTime(json: string): string {
  const { error, generated_at, ...answer } = JSON.parse(json) as {
    error?: { code: string };
    generated_at?: string;
  };
  return error?.code ?? JSON.stringify(answer);
}

async function plain(request: SiteRequest): Promise<string> {
  const answer = await plainAnswer(oracle, data, request, new Date());
  return typeof answer === 'string' ? answer : withoutTime(JSON.stringify(answer));
}

test('random predictions, comparisons and batches with random options get the answers of the plain implementation', async () => {
  const random = seededRandom(1212);
  const rowCount = amount({ short: 500, long: 20_000 });
  const answers: Record<string, number> = {};
  for (let sent = 0; sent < rowCount; sent += BATCH) {
    const requests = randomRequests(data, BATCH, random, 0.9);
    const expected = await Promise.all(requests.map(plain));
    const singles = await Promise.all(
      requests.map(async (request) => {
        const path = request.method === undefined ? '/v1/predict/compare' : '/v1/predict';
        return (await service.post(path, bodyOf(request))).text();
      }),
    );
    for (const [i, answer] of singles.entries()) {
      expect(withoutTime(answer)).toBe(expected[i]);
      const kind = expected[i].startsWith('{') ? 'answered' : expected[i];
      answers[kind] = (answers[kind] ?? 0) + 1;
    }
    const predicted = [...requests.keys()].filter((i) => requests[i].method !== undefined);
    const entries = predicted.map((i) => bodyOf(requests[i]));
    const response = await service.post('/v1/predict/batch', { requests: entries });
    const { results } = (await response.json()) as { results: object[] };
    expect(results).toHaveLength(entries.length);
    for (const [entry, i] of predicted.entries())
      expect(withoutTime(JSON.stringify(results[entry]))).toBe(expected[i]);
  }
  // The test is meaningful only if there are many of each kind.
  expect(Object.keys(answers).toSorted()).toEqual([
    'answered',
    'elevation_mismatch',
    'no_nearby_data',
    'outside_coverage',
  ]);
});
