import { expect, test } from 'vitest';
import { isPractice } from '../../src/prediction/artefacts/manifest.js';
import { readPredictorData } from '../../testing/project.js';
import { rectangle } from '../prediction/support/outlines.js';
import { expectError } from '../support/error-body.js';
import { FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';
import { collection, unit } from './support/units.js';

interface Prediction {
  readonly survival_probability: number;
  readonly risk_factors: readonly { factor: string; magnitude: number }[];
  readonly interval: { low: number; high: number };
  readonly baseline: number;
  readonly contributions: readonly { feature: string; contribution: number; value: number }[];
}
interface Answer {
  readonly predictions: readonly Prediction[];
}

const { manifest } = readPredictorData();
const practice = manifest.features.filter(isPractice);
const DEFAULTS = Object.fromEntries(practice.map((feature) => [feature.name, feature.default]));
const NAMES = ['vegetation_control', 'overstory_cover', 'seeds_per_spot'];
const [VEGETATION] = practice;

const service = await sharedService();

const withoutTime = (text: string) => text.replace(/"generated_at":"[^"]*"/g, '');

async function ask(conditions: object, changes: object = {}): Promise<Answer> {
  const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, conditions, ...changes });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

const lastOf = ({ predictions }: Answer) => predictions.at(-1)!;

test('GET /v1/model gives the default of each feature of practice and of no other', async () => {
  const { features } = (await (await service.get('/v1/model')).json()) as {
    features: { feature: string; default?: number }[];
  };
  expect(practice.map(({ name }) => name)).toEqual(NAMES);
  const given = features.filter((each) => 'default' in each);
  expect(Object.fromEntries(given.map((each) => [each.feature, each.default]))).toEqual(DEFAULTS);
});

test.each(['predict', 'predict/compare', 'predict/rank'])(
  'a stated default of practice gives the same bytes as an absent one: %s',
  async (path) => {
    const site = path === 'predict/rank' ? FOREST_SITE : PREDICT_REQUEST;
    const body = { ...site, include: ['intervals', 'explanation', 'site'] };
    const [without, with_] = await Promise.all([
      service.post(`/v1/${path}`, body),
      service.post(`/v1/${path}`, { ...body, conditions: DEFAULTS }),
    ]);
    expect(withoutTime(await with_.text())).toBe(withoutTime(await without.text()));
  },
);

test('a feature of practice at its default contributes nothing and is no risk factor', async () => {
  const { predictions } = await ask({}, { planting_method: 'drone_seeded', include: ['explanation'] });
  for (const { contributions, risk_factors } of predictions) {
    const own = contributions.filter(({ feature }) => NAMES.includes(feature));
    expect(own.map(({ contribution }) => contribution)).toEqual([0, 0, 0]);
    const labels = practice.map(({ label }) => label);
    expect(risk_factors.filter(({ factor }) => labels.includes(factor))).toEqual([]);
  }
});

test('practice moves survival by its contribution, may be a risk factor, and is never outside the training sites', async () => {
  const include = ['explanation', 'site', 'intervals'];
  const none = await ask({ vegetation_control: 0 }, { include });
  const all = await ask({ vegetation_control: 1 }, { include });
  expect(lastOf(all).survival_probability - lastOf(none).survival_probability).toBeGreaterThanOrEqual(0.05);
  for (const answer of [none, all]) {
    const { baseline, contributions, survival_probability } = lastOf(answer);
    const sum = contributions.reduce((total, { contribution }) => total + contribution, baseline);
    expect(sum).toBeCloseTo(survival_probability, 3);
    const own = contributions.find(({ feature }) => feature === VEGETATION.name)!;
    expect(Math.abs(own.contribution)).toBeGreaterThan(0);
    expect((answer as unknown as { site: { outside_training: string[] } }).site.outside_training).toEqual(
      expect.not.arrayContaining(NAMES),
    );
  }
  const { risk_factors, contributions } = lastOf(none);
  const largest = contributions.slice(0, 3).map(({ feature }) => feature);
  if (largest.includes(VEGETATION.name))
    expect(risk_factors.map(({ factor }) => factor)).toContain(VEGETATION.label);
});

test('seeds_per_spot affects drone seeding, and has no effect, error or explanation for planting by hand', async () => {
  const few = { seeds_per_spot: 3 };
  const include = ['explanation'];
  const manual = await ask(few, { include });
  expect(manual.predictions).toEqual((await ask({}, { include })).predictions);
  expect(lastOf(manual).contributions.map(({ feature }) => feature)).not.toContain('seeds_per_spot');
  const sown = await ask(few, { planting_method: 'drone_seeded', include });
  expect(sown.predictions[0].survival_probability).toBeLessThan(0.1);
  expect(lastOf(sown).contributions.map(({ feature }) => feature)).toContain('seeds_per_spot');
});

test('a scenario does not change features of practice', async () => {
  const scenario = { warming_c: 3 };
  const include = ['explanation'];
  const answer = await ask({ overstory_cover: 40 }, { scenario, include });
  const own = lastOf(answer).contributions.find(({ feature }) => feature === 'overstory_cover');
  expect(own).toMatchObject({ value: 40 });
});

test.each([
  ['vegetation_control', 1.01],
  ['overstory_cover', -1],
  ['seeds_per_spot', 0],
  ['seeds_per_spot', 'many'],
])('%s of %j is refused in conditions, in a query and in the cell of a row', async (name, value) => {
  const conditions = { [name]: value };
  const message = expect.stringContaining(`${name} must be a number from`);
  for (const planting_method of ['manual', 'drone_seeded']) {
    const body = { ...PREDICT_REQUEST, planting_method, conditions };
    const { details } = await expectError(await service.post('/v1/predict', body), 422, 'invalid_request');
    expect(details).toMatchObject({ issues: [{ path: `conditions.${name}`, message }] });
  }
  const csv = { 'content-type': 'text/csv' };
  const query = new URLSearchParams({ [name]: String(value) });
  for (const response of [
    await service.post(`/v1/predict/table?${query}`, tableOf({}), csv),
    await service.get(`/v1/surfaces/PSME?${query}`),
  ]) {
    const { details } = await expectError(response, 422, 'invalid_request');
    expect(details).toMatchObject({ issues: [{ path: name, message }] });
  }
  const table = await service.post('/v1/predict/table', tableOf({ [name]: value }), csv);
  expect(await table.text()).toMatch(new RegExp(`invalid_request,.*${name} must be a number from`));
});

function tableOf(practised: object, rows = 1): string {
  const site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'drone_seeded', ...practised };
  return [Object.keys(site), ...Array.from({ length: rows }, () => Object.values(site))].join('\n');
}

const JSON_LINES = { 'content-type': 'text/csv', accept: 'application/x-ndjson' };

async function survivalOfTable(practised: object, query: object): Promise<number> {
  const path = `/v1/predict/table?${new URLSearchParams(query as Record<string, string>)}`;
  const response = await service.post(path, tableOf(practised), JSON_LINES);
  expect(response.status).toBe(200);
  return (JSON.parse(await response.text()) as { survival_5: number }).survival_5;
}

test('a row of a table takes practice from its cell, then from the query, then the default', async () => {
  const survivalOf = async (conditions: object) =>
    lastOf(await ask(conditions, { planting_method: 'drone_seeded' })).survival_probability;
  const [few, many, usual] = [
    await survivalOf({ seeds_per_spot: 20 }),
    await survivalOf({ seeds_per_spot: 5000 }),
    await survivalOf({}),
  ];
  expect(new Set([few, many, usual]).size).toBe(3);
  expect(await survivalOfTable({ seeds_per_spot: 20 }, { seeds_per_spot: '5000' })).toBe(few);
  expect(await survivalOfTable({ seeds_per_spot: '' }, { seeds_per_spot: '5000' })).toBe(many);
  expect(await survivalOfTable({ seeds_per_spot: 'NA' }, { seeds_per_spot: '5000' })).toBe(many);
  expect(await survivalOfTable({ seeds_per_spot: '' }, {})).toBe(usual);
  const given = String(DEFAULTS.seeds_per_spot);
  expect(await survivalOfTable({ seeds_per_spot: given }, { seeds_per_spot: '5000' })).toBe(usual);
});

test('a surface and a plan take practice as predictions at their points do', async () => {
  const bbox = '-122.06,44.1,-122,44.14';
  const surface = (await (
    await service.get(`/v1/surfaces/PSME?bbox=${bbox}&vegetation_control=0&overstory_cover=60`)
  ).json()) as { latitude: number[]; longitude: number[]; survival: { manual: { '5': number[] } } };
  expect(surface.latitude.length).toBeGreaterThan(5);
  const conditions = { vegetation_control: 0, overstory_cover: 60 };
  const site = { latitude: surface.latitude[2], longitude: surface.longitude[2] };
  const { survival_probability } = lastOf(await ask(conditions, site));
  expect(surface.survival.manual['5'][2]).toBe(survival_probability);

  const [west, south, east, north] = bbox.split(',').map(Number);
  const plan = await service.post('/v1/plan', {
    units: collection(unit(1, rectangle(west, south, east, north))),
    species_codes: ['PSME'],
    planting_methods: ['manual'],
    conditions,
  });
  const { units } = (await plan.json()) as { units: { options: { survival: { mean: number } }[] }[] };
  const values = surface.survival.manual['5'];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(units[0].options[0].survival.mean).toBeCloseTo(mean, 3);
});

test('an elevation far from that of the matched point widens the interval, and what the caller measured narrows it', async () => {
  const include = ['intervals', 'site', 'explanation'];
  const near = await ask({}, { include });
  const matched = (near as unknown as { site: { matched_elevation_m: number } }).site.matched_elevation_m;
  const width = (answer: Answer) => lastOf(answer).interval.high - lastOf(answer).interval.low;
  // Intervals near 0 and 1 are narrow, so both are compared at the survival of the far elevation.
  const far = await ask({}, { include, elevation_m: matched + 900 });
  expect(width(far)).toBeGreaterThan(width(near));
  const measured = lastOf(near).contributions.map(({ feature, value }) => [feature, value]);
  expect(width(await ask(Object.fromEntries(measured), { include }))).toBeLessThan(width(near));
});
