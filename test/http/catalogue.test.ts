import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  coverageResponseSchema,
  healthResponseSchema,
  modelResponseSchema,
  speciesResponseSchema,
} from '../../src/http/response/catalogue-schemas.js';
import { sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import type { Manifest } from '../../src/prediction/artefacts/manifest.js';
import { dataDir, modelDir } from '../../testing/project.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const service = await serviceOfFile({ SEARCH_RADIUS_KM: '7.5', WORKERS: '2' });

test('GET /v1/species lists 31 species ordered by code, with their count', async () => {
  const body = (await (await service.get('/v1/species')).json()) as object;
  const { species, count } = speciesResponseSchema.parse(body);
  const codes = species.map(({ species_code }) => species_code);
  expect(codes).toEqual(codes.toSorted());
  expect(new Set(codes).size).toBe(31);
  expect(count).toBe(31);
  expect(Object.keys(body)).toEqual(['species', 'count']);
  expect(Object.keys(species[0])).toEqual(['species_code', 'common_name', 'scientific_name', 'group']);
  expect(species.find(({ species_code }) => species_code === 'QUGA')).toMatchObject({
    scientific_name: 'Quercus garryana',
    group: 'hardwood',
  });
});

test('every listed species can be predicted, under its listed common name', async () => {
  const { species } = speciesResponseSchema.parse(await (await service.get('/v1/species')).json());
  const requests = species.map(({ species_code }) => ({ ...PREDICT_REQUEST, species_code }));
  const batch = await service.post('/v1/predict/batch', { requests });
  const { results } = (await batch.json()) as { results: { species_common_name: string }[] };
  expect(results.map(({ species_common_name }) => species_common_name)).toEqual(
    species.map(({ common_name }) => common_name),
  );
});

test('GET /v1/coverage lists both states with bounds and data points', async () => {
  const coverage = coverageResponseSchema.parse(await (await service.get('/v1/coverage')).json());
  expect(coverage.regions.map(({ region, name }) => [region, name])).toEqual([
    ['US-OR', 'Oregon'],
    ['US-WA', 'Washington'],
  ]);
  expect(coverage.data_points).toBe(coverage.regions.reduce((sum, region) => sum + region.data_points, 0));
  const [oregon, washington] = coverage.regions.map(({ bounds }) => bounds);
  // The states' extents in whole degrees: Oregon 42..46 N, Washington 45.5..49 N.
  for (const [bounds, ...extent] of [
    [oregon!, 42, 46],
    [washington!, 46, 49],
  ] as const) {
    expect([bounds.south, bounds.north].map(Math.round)).toEqual(extent);
    expect(bounds.west).toBeLessThan(bounds.east);
  }
});

test('GET /v1/coverage has its fields in order, with the configured radius, the horizons and the methods', async () => {
  const coverage = JSON.parse(await (await service.get('/v1/coverage')).text());
  const { horizons, planting_methods, regions, search_radius_km } = coverage;
  expect([coverage, regions[0], regions[0].bounds].map((each) => Object.keys(each).join())).toEqual([
    'regions,data_points,search_radius_km,horizons,planting_methods',
    'region,name,bounds,data_points',
    'south,west,north,east',
  ]);
  expect([search_radius_km, horizons, planting_methods]).toEqual([
    7.5,
    [1, 3, 5],
    ['manual', 'drone_seeded'],
  ]);
});

test('GET /v1/health needs no key and reports version, model, data and workers', async () => {
  const response = await fetch(`${service.apiUrl}/v1/health`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as object;
  const health = healthResponseSchema.parse(body);
  expect(Object.keys(body)).toEqual([
    'status',
    'version',
    'model',
    'data_points',
    'species',
    'workers',
    'uptime_seconds',
  ]);
  expect(health).toMatchObject({ status: 'ok', species: 31, workers: { ready: 2, total: 2 } });
});

test('health, model, coverage and predictions agree on the models and the number of data points', async () => {
  const [health, coverage, prediction, model] = (await Promise.all([
    service.get('/v1/health').then((response) => response.json()),
    service.get('/v1/coverage').then((response) => response.json()),
    service.post('/v1/predict', PREDICT_REQUEST).then((response) => response.json()),
    service.get('/v1/model').then((response) => response.json()),
  ])) as { data_points: number; model: object; grid: { points: number }; digest: string }[];
  expect(health!.data_points).toBe(coverage!.data_points);
  expect(health!.data_points).toBe(model!.grid.points);
  expect(health!.model).toEqual({ ...prediction!.model, digest: model!.digest });
  expect(Object.keys(health!.model)).toEqual(['version', 'codename', 'series', 'digest']);
});

const manifestFile = readFileSync(path.join(modelDir, 'manifest.json'));
const manifest = JSON.parse(String(manifestFile)) as Manifest;
/** The value in `data/README.md`, which the pipeline writes. */
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
  const { version, codename, series, outcomes, caution, alive, interval_level, scores, evidence } = manifest;
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
    features: manifest.features.map(({ name, label, unit, minimum, maximum, ...feature }) => ({
      feature: name,
      factor: label,
      unit,
      minimum,
      maximum,
      ...('default' in feature && { default: feature.default }),
    })),
    scores,
    evidence,
  });
});

test('GET /v1/model has its fields in the documented order', async () => {
  const model = JSON.parse(await (await service.get('/v1/model')).text());
  const fields = (value: object) => Object.keys(value).join();
  expect(fields(model)).toBe(
    'version,codename,series,digest,outcomes,caution,alive,grid,interval_level,features,scores,evidence',
  );
  expect(fields(model.alive)).toBe('manual,drone_seeded');
  expect(fields(model.grid)).toBe('points,digest');
  expect(fields(model.features[0])).toBe('feature,factor,unit,minimum,maximum');
  expect(fields(model.features.at(-1))).toBe('feature,factor,unit,minimum,maximum,default');
  expect(fields(model.evidence[0])).toBe(
    'source,place,treatment,species_code,planting_method,years,horizon_years,trees,observed,predicted,low,high,use',
  );
  expect(fields(model.scores[0])).toBe(
    'planting_method,horizon_years,auc,brier,calibration_slope,expected_calibration_error',
  );
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

/** A Markdown text with the lines of each paragraph or quotation joined. */
const joined = (text: string) => text.replaceAll(/\n(> | {2})?/g, ' ');

test('/openapi.json, which /docs shows, the README and the model card have the caution and the meanings of "alive" of the manifest', async () => {
  const { caution, alive } = manifest;
  const documents = {
    openapi: JSON.parse(await (await fetch(`${service.apiUrl}/openapi.json`)).text()).info.description,
    readme: joined(readFileSync(path.join(import.meta.dirname, '../../README.md'), 'utf8')),
    card: joined(card),
  };
  for (const sentence of [caution, ...Object.values(alive)]) {
    const without = Object.entries(documents).filter(([, text]) => !text.includes(sentence));
    expect(without.map(([name]) => name)).toEqual([]);
  }
});
