import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import { batchResponseSchema } from '../../src/http/response/schemas.js';
import { greatCircleKm } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { expectError } from '../support/error-body.js';
import { FOREST_SITE, NO_NEARBY_DATA, OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();

const BODY = JSON.stringify({ ...PREDICT_REQUEST, horizons: [1] });
const predict = (body: unknown) => service.post('/v1/predict', body);

/** Sends entries as a batch, which must be 200. */
async function batchOf(...entries: readonly string[]) {
  const response = await service.post('/v1/predict/batch', `{"requests":[${entries.join()}]}`);
  expect(response.status).toBe(200);
  return batchResponseSchema.parse(await response.json());
}

/** The body with the JSON of one field replaced by any text. */
function withField(field: string, json: string): string {
  const value = JSON.stringify((JSON.parse(BODY) as Record<string, unknown>)[field]);
  return BODY.replace(`"${field}":${value}`, () => `"${field}":${json}`);
}

function without(field: string): string {
  const { [field]: _, ...rest } = JSON.parse(BODY) as Record<string, unknown>;
  return JSON.stringify(rest);
}

/** A body, the code of its error and the path of its issue. */
type Case = readonly [body: string, code: ErrorCode, path?: string];
const values = (code: ErrorCode, field: string, ...jsons: readonly string[]) =>
  jsons.map((json): Case => {
    const body = withField(field, json);
    return code === 'invalid_request' ? [body, code, field] : [body, code];
  });
const site = (code: ErrorCode, change: object): Case => [
  JSON.stringify({ ...PREDICT_REQUEST, ...change }),
  code,
];

const DEPTH = 100_000;
const DEEP = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const NO_NUMBER = ['1e999', '-1e999', '"44.1"', 'null', 'true', '[]', '[44.1]', '{}', '{"valueOf":44}', '""'];
const SHAPE = { horizons: [2] };
const RANGE = { conditions: { vpd_max: 99 } };
const SPECIES = { species_code: 'XXXX' };
const METHOD = { planting_method: 'broadcast' };
const ELEVATION = { elevation_m: 4400 };

const CASES: readonly Case[] = [
  ...['latitude', 'longitude', 'species_code', 'planting_method'].map(
    (field): Case => [without(field), 'invalid_request', field],
  ),
  ...values('invalid_request', 'latitude', ...NO_NUMBER, '90.0000001', '-91', '9'.repeat(400), DEEP),
  ...values('invalid_request', 'longitude', ...NO_NUMBER, '{"toString":1}', '180.5', '-1e308'),
  ['{"latitude":100,"longitude":{"toString":1}}', 'invalid_request'], // no swapped coordinates
  ...values('invalid_request', 'species_code', '1', 'null', 'true', '[]', '["PSME"]', '{}', '1e999'),
  ...values('invalid_request', 'horizons', 'null', '{"0":1,"length":1}', '[]', '[1,7]', '[[1]]', '["1"]'),
  ...['{}', 'null', '[]', '"x"', '7', 'true', '1e999', '[44.12,-122.03]', DEEP, `{"__proto__":${BODY}}`].map(
    (body): Case => [body, 'invalid_request'],
  ),
  [`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`, 'invalid_request'],
  ...values('invalid_species', 'species_code', '"__proto__"', '"constructor"', '"toString"', '""', '" PSME"'),
  ...values('invalid_species', 'species_code', '"PSME\\u0000"', '"\\ud800"', '"💥"', '"ZZZZZZ"', '"psme"'),
  ...values('invalid_method', 'planting_method', '"MANUAL"', 'null', '["manual"]', '"__proto__"', DEEP),
  ...values('outside_coverage', 'latitude', '-0', '5e-324', '1e-400', '90', '-90', '-90.0'),
  ...values('outside_coverage', 'longitude', '180', '-180'),
  // The last of duplicate names counts.
  [`${BODY.slice(0, -1)},"latitude":null}`, 'invalid_request', 'latitude'],
  // The order of the checks.
  site('invalid_request', { ...SHAPE, ...SPECIES, ...METHOD }),
  site('invalid_request', { ...OUTSIDE_COVERAGE, ...SHAPE }),
  site('invalid_request', { ...OUTSIDE_COVERAGE, ...RANGE, ...SPECIES }),
  site('invalid_species', { ...OUTSIDE_COVERAGE, ...SPECIES, ...METHOD }),
  site('invalid_species', { ...NO_NEARBY_DATA, ...SPECIES }),
  site('invalid_method', { ...OUTSIDE_COVERAGE, ...METHOD, ...ELEVATION }),
  site('invalid_method', { ...NO_NEARBY_DATA, ...METHOD }),
  site('outside_coverage', { ...OUTSIDE_COVERAGE, ...ELEVATION }),
  site('no_nearby_data', { ...NO_NEARBY_DATA, ...ELEVATION }),
  site('elevation_mismatch', ELEVATION),
];

/** The coordinates that the failed entry of a batch has: those of the body, null where they are no numbers. */
function coordinatesOf(body: string) {
  const { latitude, longitude } = Object(JSON.parse(body)) as Record<string, unknown>;
  const orNull = (value: unknown) => (Number.isFinite(value) ? Number(value) + 0 : null);
  return { latitude: orNull(latitude), longitude: orNull(longitude) };
}

test.each(CASES.map(([body, code, path]) => [body.slice(0, 120), code, body, path] as const))(
  'the site %s is %s, alone and in a batch, where its element has exactly error, latitude and longitude',
  async (_shown, code, body, path) => {
    const alone = await expectError(await predict(body), 422, code);
    if (path !== undefined)
      expect(alone.details).toEqual({
        issues: [{ path, message: expect.stringContaining(path.slice(0, 7)) }],
      });
    const { results } = await batchOf(body);
    expect(results).toEqual([{ error: alone, ...coordinatesOf(body) }]);
    expect(Object.keys(results[0]!)).toEqual(['error', 'latitude', 'longitude']);
  },
);

test('a batch with failed entries of every kind, with or without successes, is 200 and keeps the order', async () => {
  const failing = CASES.filter(([body]) => body.length < DEPTH); // three times as many are a batch
  const { results, summary } = await batchOf(...failing.flatMap(([body]) => [BODY, body, BODY]));
  failing.forEach(([, code], i) => {
    expect(results[3 * i]).toMatchObject({ site: FOREST_SITE });
    expect(results[3 * i + 1]).toMatchObject({ error: { code } });
    expect(results[3 * i + 2]).toMatchObject({ site: FOREST_SITE });
  });
  const failed = failing.length;
  expect(summary).toEqual({ total: 3 * failed, successful: 2 * failed, failed });
  expect((await batchOf(...failing.map(([body]) => body))).summary).toEqual({
    total: failed,
    successful: 0,
    failed,
  });
});

test.each([
  ['1e999', 'must be a JSON object, not Infinity'],
  [withField('planting_method', '1'), 'planting_method must be "manual" or "drone_seeded", not 1'],
  [withField('species_code', '"QUAG"'), 'Did you mean QUGA (Oregon white oak)?'],
])('the message for the site %s says %s', async (body, text) => {
  const { error } = (await (await predict(body)).json()) as { error: { message: string } };
  expect(error.message).toContain(text);
});

test.each([
  ['outside_coverage', OUTSIDE_COVERAGE, 'GET /v1/coverage'],
  ['invalid_species', { ...PREDICT_REQUEST, ...SPECIES }, 'GET /v1/species'],
] as const)('%s has a suggestion, alone and in a comparison', async (code, request, named) => {
  for (const path of ['/v1/predict', '/v1/predict/compare']) {
    const { details } = await expectError(await service.post(path, request), 422, code);
    expect(details).toEqual({ suggestion: expect.stringContaining(named) });
  }
});

const SWAPPED = 'latitude and longitude are swapped';
const NO_MINUS = 'the minus before the longitude is missing';
test.each([
  [44.12, 122.03, NO_MINUS],
  [-122.03, 44.12, SWAPPED],
  [122.03, 44.12, `${SWAPPED} and ${NO_MINUS}`],
  [-116.202, 43.615, undefined],
  [91, -122.03, undefined],
  [1000, 44.12, undefined],
])(
  'the message for latitude %d, longitude %d proposes the place in the coverage, if there is one: %s',
  async (latitude, longitude, mistake) => {
    const hint = ` Did you mean latitude 44.12, longitude -122.03? It looks as if ${mistake}.`;
    for (const path of ['/v1/predict', '/v1/predict/compare']) {
      const response = await service.post(path, { ...PREDICT_REQUEST, latitude, longitude });
      const { error } = (await response.json()) as { error: { message: string } };
      if (mistake === undefined) expect(error.message).not.toContain('Did you mean');
      else expect(error.message.endsWith(hint), error.message).toBe(true);
    }
  },
);

/** The data point nearest to a place, of all. */
function nearestTo(latitude: number, longitude: number) {
  const { grid } = readPredictorData();
  const points = Array.from({ length: grid.pointCount }, (_, point) => {
    const place = placeOf(grid, point);
    return { ...place, distanceKm: greatCircleKm(longitude, latitude, place.longitude, place.latitude) };
  });
  return points.reduce((nearest, each) => (each.distanceKm < nearest.distanceKm ? each : nearest));
}

test('no_nearby_data has the search radius and the nearest data point, which can be predicted for', async () => {
  const place = { latitude: NO_NEARBY_DATA.latitude, longitude: NO_NEARBY_DATA.longitude };
  const { distanceKm, ...nearest } = nearestTo(place.latitude, place.longitude);
  const { latitude, longitude } = nearest;
  const details = {
    search_radius_km: 0.8,
    nearest: { latitude, longitude, distance_km: Number(distanceKm.toFixed(3)) },
  };
  for (const [path, request] of [
    ['/v1/predict', NO_NEARBY_DATA],
    ['/v1/predict/compare', NO_NEARBY_DATA],
    ['/v1/predict/rank', place],
  ] as const) {
    const error = await expectError(await service.post(path, request), 422, 'no_nearby_data');
    expect(error.details).toEqual(details);
  }
  const response = await predict({ ...PREDICT_REQUEST, latitude, longitude });
  expect(await response.json()).toMatchObject({
    site: { matched_latitude: latitude, matched_longitude: longitude, match_distance_km: 0 },
  });
});

test.each([
  [NO_NEARBY_DATA.latitude, NO_NEARBY_DATA.longitude],
  [48.03, -120.35], // 0.829 km
])(
  'the message of no_nearby_data for latitude %d, longitude %d says to a metre how far away the nearest data are',
  async (latitude, longitude) => {
    const km = Number(nearestTo(latitude, longitude).distanceKm.toFixed(3));
    expect(km).toBeGreaterThan(0.8);
    const request = { ...NO_NEARBY_DATA, latitude, longitude };
    const { message } = await expectError(await predict(request), 422, 'no_nearby_data');
    expect(message).toBe(
      `No data point lies within 0.8 km of latitude ${latitude}, longitude ${longitude}: the nearest is ${km} km away. ` +
        'The data cover forest land, not urban, agricultural or water areas.',
    );
  },
);

test.each(['44.123456789012345', '44.12000000000000000000000001', '4412e-2', '4.412E+1'])(
  'latitude %s is echoed as the number nearest to it, and the last of duplicate names counts',
  async (json) => {
    const response = await predict(
      `{"latitude":"x","species_code":"XXXX",${withField('latitude', json).slice(1)}`,
    );
    expect(await response.json()).toMatchObject({ site: { latitude: Number(json) }, species_code: 'PSME' });
  },
);

test('the response to a huge value stays small', async () => {
  const huge = 'A'.repeat(900_000);
  for (const [field, json] of [
    ['species_code', `"${huge}"`],
    ['species_code', `"${'\\u0000'.repeat(150_000)}"`],
    ['planting_method', `"${huge}"`],
    ['latitude', `"${huge}"`],
    ['horizons', `[${Array(400_000).fill(2)}]`],
  ] as const) {
    const response = await predict(withField(field, json));
    expect(response.status).toBe(422);
    expect((await response.text()).length).toBeLessThan(1000);
  }
});
