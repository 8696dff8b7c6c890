import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseManifest } from '../../src/prediction/artefacts/manifest.js';
import { modelDir } from '../../testing/project.js';
import {
  COMPARE_REQUEST,
  FOREST_SITE,
  NO_NEARBY_DATA,
  OUTSIDE_COVERAGE,
  PREDICT_REQUEST,
} from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { PLAN_REQUEST } from './support/units.js';

const HEADER = 'model-outcomes';

const service = await serviceOfFile({ WORKERS: '1' });

/** The text of a Markdown file, with the lines of each paragraph or quotation joined. */
const readText = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8').replaceAll(
    /\n(> | {2})?/g,
    ' ',
  );

test.each<[what: string, path: string, body: object]>([
  ['a prediction', '/v1/predict', PREDICT_REQUEST],
  ['a comparison', '/v1/predict/compare', COMPARE_REQUEST],
  ['a ranking', '/v1/predict/rank', FOREST_SITE],
  ['a plan', '/v1/plan', PLAN_REQUEST],
  ['a batch', '/v1/predict/batch', { requests: [PREDICT_REQUEST] }],
  ['a batch with failed entries', '/v1/predict/batch', { requests: ['x', PREDICT_REQUEST, NO_NEARBY_DATA] }],
  ['a batch of failed entries only', '/v1/predict/batch', { requests: [OUTSIDE_COVERAGE] }],
  ['an empty batch', '/v1/predict/batch', { requests: [] }],
])('the answer to %s says in a header that the outcomes are simulated', async (_what, url, body) => {
  const { status, headers } = await service.post(url, body);
  expect([status, headers.get(HEADER)]).toEqual([200, 'simulated']);
});

test('a surface says in a header that the outcomes are simulated', async () => {
  const { status, headers } = await service.get('/v1/surfaces/PSME?max_points=10');
  expect([status, headers.get(HEADER)]).toEqual([200, 'simulated']);
});

test('errors and answers without predictions have no header about outcomes', async () => {
  const answers = await Promise.all([
    service.post('/v1/predict', { ...PREDICT_REQUEST, species_code: 'XXXX' }),
    service.post('/v1/predict', NO_NEARBY_DATA),
    service.post('/v1/predict/compare', OUTSIDE_COVERAGE),
    service.post('/v1/predict/batch', {}),
    service.post('/v1/predict', PREDICT_REQUEST, { 'x-api-key': 'x' }),
    service.get('/v1/species'),
    service.get('/v1/model'),
  ]);
  expect(answers.map(({ headers }) => headers.get(HEADER))).toEqual(answers.map(() => null));
});

test('/openapi.json, which /docs shows, the README and the model card have the caution and the meanings of "alive" of the manifest', async () => {
  const file = path.join(modelDir, 'manifest.json');
  const { caution, alive } = parseManifest({ path: file, bytes: readFileSync(file) });
  const documents = {
    openapi: JSON.parse(await (await fetch(`${service.apiUrl}/openapi.json`)).text()).info.description,
    readme: readText('README.md'),
    card: readText('models/model-card.md'),
  };
  for (const sentence of [caution, ...Object.values(alive)]) {
    const without = Object.entries(documents).filter(([, text]) => !text.includes(sentence));
    expect(without.map(([name]) => name)).toEqual([]);
  }
});
