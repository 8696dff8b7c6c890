import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelResponseSchema } from '../../src/http/response/catalogue-schemas.js';
import { sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { dataDir, modelDir } from '../../testing/project.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WORKERS: '1' });
});
afterAll(() => service.stop());

const manifestFile = readFileSync(path.join(modelDir, 'manifest.json'));
const manifest = JSON.parse(String(manifestFile)) as Manifest;
/** As `data/README.md` states it, which the pipeline writes. */
const statedPoints = Number(
  /The ([\d,]+) points/.exec(readFileSync(path.join(dataDir, 'README.md'), 'utf8'))![1]!.replaceAll(',', ''),
);
const card = readFileSync(path.join(modelDir, 'model-card.md'), 'utf8');

async function servedModel() {
  const response = await service.get('/v1/model');
  expect(response.status).toBe(200);
  return modelResponseSchema.parse(await response.json());
}

test('GET /v1/model describes the models as their manifest does, with the digests of manifest and data files', async () => {
  const { version, codename, series, outcomes, caution, alive, interval_level, scores } = manifest;
  const model = await servedModel();
  expect(model).toEqual({
    version,
    codename,
    series,
    digest: sha256Of(manifestFile),
    outcomes,
    caution,
    alive,
    grid: { points: statedPoints, digest: sha256Of(readFileSync(path.join(dataDir, 'SHA256SUMS'))) },
    interval_level,
    features: manifest.features.map(({ name, label, unit, minimum, maximum }) => ({
      feature: name,
      factor: label,
      unit,
      minimum,
      maximum,
    })),
    scores,
  });
});

test('GET /v1/model has its fields in the documented order', async () => {
  const model = JSON.parse(await (await service.get('/v1/model')).text());
  const fields = (value: object) => Object.keys(value).join();
  expect(fields(model)).toBe(
    'version,codename,series,digest,outcomes,caution,alive,grid,interval_level,features,scores',
  );
  expect(fields(model.alive)).toBe('manual,drone_seeded');
  expect(fields(model.grid)).toBe('points,digest');
  expect(fields(model.features[0])).toBe('feature,factor,unit,minimum,maximum');
  expect(fields(model.scores[0])).toBe(
    'planting_method,horizon_years,auc,brier,calibration_slope,expected_calibration_error',
  );
});

test('GET /v1/model counts as one request', async () => {
  const spore = { 'x-api-key': (await service.issueKey('spore')).secret };
  const response = await service.get('/v1/model', spore);
  expect(response.headers.get('ratelimit')).toMatch(/^"daily";r=99;/);
});

test('GET /v1/model and the model card agree on the version and the scores', async () => {
  const { version, scores } = await servedModel();
  expect(card.startsWith(`# Model card: ${version}\n`)).toBe(true);
  const [table] = card.split('## Scores on held-out blocks')[1].split('\n## ');
  const scored = table.split('\n').filter((line) => /^\| (manual|drone_seeded) \|/.test(line));
  // The first table is that of the trees in native ranges, the second that of all.
  const rows = scored.slice(0, 6);
  const printed = rows.map((line) => {
    const [, planting_method, year, , auc, brier, slope, error] = line.split('|').map((cell) => cell.trim());
    return {
      planting_method,
      horizon_years: Number(year),
      auc: Number(auc),
      brier: Number(brier),
      calibration_slope: Number(slope),
      expected_calibration_error: Number(error),
    };
  });
  expect(printed).toEqual(scores);
  expect(scores).toHaveLength(6);
});
