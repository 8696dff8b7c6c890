import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { batchResponseSchema, type predictionResultSchema } from '../../src/http/response/schemas.js';
import { readPredictorData } from '../../testing/project.js';
import { scatteredSites } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

type Result = z.output<typeof predictionResultSchema>;

/** Decimals that the shortest form of a number has. */
function decimals(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

/** Great-circle distance by the haversine formula on the sphere of the mean earth radius, 6371.0088 km. */
function greatCircleKm({ site }: Result): number {
  const radians = Math.PI / 180;
  const [latitude, matched] = [site.latitude * radians, site.matched_latitude * radians];
  const longitude = (site.matched_longitude - site.longitude) * radians;
  const chord =
    Math.sin((matched - latitude) / 2) ** 2 +
    Math.cos(latitude) * Math.cos(matched) * Math.sin(longitude / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(chord));
}

let service: TestService;
let results: Result[];
const sites = scatteredSites(500);
const { manifest } = readPredictorData();

beforeAll(async () => {
  service = await startTestService();
  const { species } = (await (await service.get('/v1/species')).json()) as {
    species: { species_code: string }[];
  };
  const requests = sites.map((site, i) => ({
    ...site,
    species_code: species[i % species.length].species_code,
    planting_method: i % 2 === 0 ? 'manual' : 'drone_seeded',
  }));
  const response = await service.post('/v1/predict/batch', { requests });
  const body = batchResponseSchema.parse(await response.json());
  results = body.results.filter((result): result is Result => 'site' in result);
  expect(results.length).toBeGreaterThan(50);
});
afterAll(() => service.stop());

test('site.latitude and site.longitude echo the request to the last digit', () => {
  const asked = new Set(sites.map(({ latitude, longitude }) => `${latitude} ${longitude}`));
  for (const { site } of results) expect(asked).toContain(`${site.latitude} ${site.longitude}`);
});

test('matched coordinates have at most 5 decimals, the distance 3, probabilities and magnitudes 4', () => {
  for (const { site, predictions } of results) {
    expect(decimals(site.matched_latitude)).toBeLessThanOrEqual(5);
    expect(decimals(site.matched_longitude)).toBeLessThanOrEqual(5);
    expect(decimals(site.match_distance_km)).toBeLessThanOrEqual(3);
    for (const { survival_probability, risk_factors } of predictions) {
      expect(decimals(survival_probability)).toBeLessThanOrEqual(4);
      for (const { magnitude } of risk_factors) expect(decimals(magnitude)).toBeLessThanOrEqual(4);
    }
  }
});

test('match_distance_km is the great-circle distance, within the search radius', () => {
  for (const result of results) {
    // Half a unit of the last reported decimal: of the distance, and of both matched coordinates (0.6 m each).
    expect(Math.abs(result.site.match_distance_km - greatCircleKm(result))).toBeLessThan(0.0015);
    expect(result.site.match_distance_km).toBeLessThanOrEqual(5);
  }
});

test('the region of a site is US-OR or US-WA, and both occur', () => {
  expect(new Set(results.map(({ site }) => site.region))).toEqual(new Set(['US-OR', 'US-WA']));
});

test('survival_probability never rises with the horizon', () => {
  for (const { predictions } of results) {
    const [one, three, five] = predictions.map(({ survival_probability }) => survival_probability);
    expect(one).toBeGreaterThanOrEqual(three!);
    expect(three).toBeGreaterThanOrEqual(five!);
  }
});

test('risk_factors are 3 different factors, largest first, ties in feature order', () => {
  const order = manifest.features.map(({ label }) => label);
  for (const { risk_factors } of results.flatMap(({ predictions }) => predictions)) {
    expect(new Set(risk_factors.map(({ factor }) => factor)).size).toBe(3);
    const ranked = risk_factors.toSorted(
      (a, b) => b.magnitude - a.magnitude || order.indexOf(a.factor) - order.indexOf(b.factor),
    );
    expect(risk_factors).toEqual(ranked);
  }
});

test('only features that may be risk factors are reported as such, never species or method', () => {
  const allowed = manifest.features.filter(({ risk_factor }) => risk_factor).map(({ label }) => label);
  for (const { factor } of results.flatMap(({ predictions }) => predictions.flatMap((p) => p.risk_factors)))
    expect(allowed).toContain(factor);
});

test('generated_at and model are the same for every element of one response', () => {
  expect(new Set(results.map(({ generated_at }) => generated_at)).size).toBe(1);
  expect(new Set(results.map(({ model }) => JSON.stringify(model))).size).toBe(1);
});
