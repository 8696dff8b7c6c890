import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/prediction/errors/api-error.js';
import { greatCircleKm } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { COMPARE_REQUEST, NO_NEARBY_DATA, OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, new SettableClock('2026-11-20T23:00:00Z'));
});
afterAll(() => service.stop());

const predict = (body: unknown, headers?: Record<string, string>) =>
  service.post('/v1/predict', body, headers);

test('a missing, malformed or unknown key is invalid_api_key 401', async () => {
  const missing = await fetch(`${service.apiUrl}/v1/species`);
  expect((await expectError(missing, 401, 'invalid_api_key')).details).toBeUndefined();
  const unknown = `nurse_live_${'0'.repeat(32)}`;
  for (const key of ['', 'x', unknown, unknown.toUpperCase(), `${unknown}0`, service.key.slice(0, -1)]) {
    const error = await expectError(
      await predict(PREDICT_REQUEST, { 'x-api-key': key }),
      401,
      'invalid_api_key',
    );
    expect(error.details).toBeUndefined();
  }
});

test('a deactivated key is key_inactive 403', async () => {
  const { id, secret } = await service.issueKey('spore');
  await service.administration.setState(id, 'deactivated');
  const error = await expectError(
    await predict(PREDICT_REQUEST, { 'x-api-key': secret }),
    403,
    'key_inactive',
  );
  expect(error.details).toBeUndefined();
});

test('an exhausted quota is rate_limit_exceeded 429 with limit, tier and resets_at, and Retry-After to midnight UTC', async () => {
  const { secret } = await service.issueKey('spore');
  const headers = { 'x-api-key': secret };
  await Promise.all(Array.from({ length: 100 }, () => service.get('/v1/coverage', headers)));
  const response = await predict(PREDICT_REQUEST, headers);
  expect(response.headers.get('retry-after')).toBe('3600');
  const { details } = await expectError(response, 429, 'rate_limit_exceeded');
  expect(details).toEqual({ limit: 100, tier: 'spore', resets_at: '2026-11-21T00:00:00.000Z' });
});

test('a place in neither state is outside_coverage 422 with a suggestion that names GET /v1/coverage', async () => {
  for (const path of ['/v1/predict', '/v1/predict/compare']) {
    const error = await expectError(await service.post(path, OUTSIDE_COVERAGE), 422, 'outside_coverage');
    expect(error.details).toEqual({ suggestion: expect.stringContaining('GET /v1/coverage') });
    expect(error.message).toMatch(/43\.615.*-116\.202.*Oregon and Washington\.$/);
  }
});

test.each([
  ['outside_coverage', 44.12, 122.03, 'the minus before the longitude is missing'],
  ['invalid_request', -122.03, 44.12, 'latitude and longitude are swapped'],
  [
    'invalid_request',
    122.03,
    44.12,
    'latitude and longitude are swapped and the minus before the longitude is missing',
  ],
])(
  'the message of %s for latitude %d, longitude %d proposes the place in the coverage, since %s',
  async (code, latitude, longitude, mistake) => {
    const hint = ` Did you mean latitude 44.12, longitude -122.03? It looks as if ${mistake}.`;
    const request = { ...PREDICT_REQUEST, latitude, longitude };
    for (const path of ['/v1/predict', '/v1/predict/compare']) {
      const error = await expectError(await service.post(path, request), 422, code as ErrorCode);
      expect(error.message.endsWith(hint), error.message).toBe(true);
    }
    const batch = await service.post('/v1/predict/batch', { requests: [request] });
    expect(await batch.json()).toMatchObject({
      results: [{ error: { code, message: expect.stringContaining(hint) }, latitude, longitude }],
    });
  },
);

test.each([
  [-116.202, 43.615],
  [91, -122.03],
  [1000, 44.12],
])(
  'the message of invalid_request for latitude %d, longitude %d proposes no place, as none is in the coverage',
  async (latitude, longitude) => {
    const response = await predict({ ...PREDICT_REQUEST, latitude, longitude });
    const { message } = await expectError(response, 422, 'invalid_request');
    expect(message).not.toContain('Did you mean');
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

test('a place in a state but far from all data is no_nearby_data 422 with the search radius and the nearest data point', async () => {
  const nearest = nearestTo(NO_NEARBY_DATA.latitude, NO_NEARBY_DATA.longitude);
  const details = {
    search_radius_km: 0.8,
    nearest: {
      latitude: nearest.latitude,
      longitude: nearest.longitude,
      distance_km: Number(nearest.distanceKm.toFixed(3)),
    },
  };
  const { latitude, longitude } = NO_NEARBY_DATA;
  for (const [path, request] of [
    ['/v1/predict', NO_NEARBY_DATA],
    ['/v1/predict/compare', NO_NEARBY_DATA],
    ['/v1/predict/rank', { latitude, longitude }],
  ] as const) {
    const error = await expectError(await service.post(path, request), 422, 'no_nearby_data');
    expect(error.details).toEqual(details);
  }
  const batch = await service.post('/v1/predict/batch', { requests: [NO_NEARBY_DATA] });
  expect(await batch.json()).toMatchObject({ results: [{ error: { details } }] });
});

test('the nearest data point of no_nearby_data can be predicted for', async () => {
  const { details } = await expectError(await predict(NO_NEARBY_DATA), 422, 'no_nearby_data');
  const { latitude, longitude } = details!.nearest as { latitude: number; longitude: number };
  const response = await predict({ ...PREDICT_REQUEST, latitude, longitude });
  expect(await response.json()).toMatchObject({
    site: { matched_latitude: latitude, matched_longitude: longitude, match_distance_km: 0 },
  });
});

test.each([
  [NO_NEARBY_DATA.latitude, NO_NEARBY_DATA.longitude, 1],
  [48.03, -120.35, 2], // 0.829 km
])(
  'the message of no_nearby_data for latitude %d, longitude %d says how far away the nearest data are, with decimals that make it more than the radius: %i',
  async (latitude, longitude, decimals) => {
    const km = nearestTo(latitude, longitude).distanceKm.toFixed(decimals);
    expect(Number(km)).toBeGreaterThan(0.8);
    const request = { ...NO_NEARBY_DATA, latitude, longitude };
    const { message } = await expectError(await predict(request), 422, 'no_nearby_data');
    expect(message).toBe(
      `No data point lies within 0.8 km of latitude ${latitude}, longitude ${longitude}: the nearest is ${km} km away. ` +
        'The data cover forest land, not urban, agricultural or water areas.',
    );
  },
);

test('an unknown species is invalid_species 422 with a suggestion that names GET /v1/species', async () => {
  for (const [path, request] of [
    ['/v1/predict', PREDICT_REQUEST],
    ['/v1/predict/compare', COMPARE_REQUEST],
  ] as const) {
    const response = await service.post(path, { ...request, species_code: 'ZZZZZZ' });
    const error = await expectError(response, 422, 'invalid_species');
    expect(error.details).toEqual({ suggestion: expect.stringContaining('GET /v1/species') });
    expect(error.message).toContain('"ZZZZZZ"');
  }
});

test.each([
  ['QUAG', 'QUGA', 'Oregon white oak'],
  ['psme', 'PSME', 'Douglas-fir'],
])(
  'the species code %s is invalid_species 422, as codes match exactly, and the message proposes %s',
  async (given, code, name) => {
    const error = await expectError(
      await predict({ ...PREDICT_REQUEST, species_code: given }),
      422,
      'invalid_species',
    );
    expect(error.message).toContain(`${code} (${name})`);
  },
);

test.each(['broadcast', 'MANUAL', '', null, true, 1, ['manual'], { manual: 1 }])(
  'planting_method %j is invalid_method 422, as it is present and neither method',
  async (planting_method) => {
    const error = await expectError(
      await predict({ ...PREDICT_REQUEST, planting_method }),
      422,
      'invalid_method',
    );
    expect(error.message).toMatch(/"manual" or "drone_seeded"/);
    expect(error.details).toBeUndefined();
  },
);

test.each([
  ['spore', 10],
  ['mycel', 100],
  ['hypha', 500],
] as const)(
  'a batch of more entries than the %s tier allows is batch_too_large 422, and one of its %i is answered',
  async (tier, limit) => {
    const headers = { 'x-api-key': (await service.issueKey(tier)).secret };
    const send = (count: number) =>
      service.post('/v1/predict/batch', { requests: Array(count).fill(PREDICT_REQUEST) }, headers);
    expect((await send(limit)).status).toBe(200);
    for (const submitted of [limit + 1, 5000]) {
      const { details } = await expectError(await send(submitted), 422, 'batch_too_large');
      expect(details).toEqual({ submitted, tier_limit: limit, tier });
    }
  },
);

test.each(['latitude', 'longitude', 'species_code', 'planting_method'])(
  'a request without %s is invalid_request 422 with the issue at its path',
  async (field) => {
    const { [field]: _, ...request } = PREDICT_REQUEST as Record<string, unknown>;
    const { details } = await expectError(await predict(request), 422, 'invalid_request');
    expect(details).toEqual({ issues: [{ path: field, message: expect.stringContaining(field) }] });
  },
);

test('invalid_request 422 reports every issue of a body', async () => {
  const { details } = await expectError(await predict({}), 422, 'invalid_request');
  const { issues } = details as { issues: { path: string }[] };
  expect(issues.map(({ path }) => path)).toEqual([
    'latitude',
    'longitude',
    'species_code',
    'planting_method',
  ]);
});

test.each([
  ['latitude', 90.0000001],
  ['latitude', -91],
  ['longitude', 180.5],
  ['longitude', -1e308],
  ['horizons', []],
  ['horizons', [2]],
  ['horizons', [1, 3, 5, 7]],
  ['horizons', ['1']],
  ['horizons', 1],
  ['horizons', null],
])('%s of %j is invalid_request 422 with the issue at its path', async (field, value) => {
  const response = await predict({ ...PREDICT_REQUEST, [field]: value });
  const { details } = await expectError(response, 422, 'invalid_request');
  expect(details).toEqual({ issues: [{ path: field, message: expect.any(String) }] });
});

test('a batch whose requests are missing or not an array is invalid_request 422 as a whole', async () => {
  for (const body of [{}, { requests: null }, { requests: {} }, { requests: 'x' }, [], [PREDICT_REQUEST]])
    await expectError(await service.post('/v1/predict/batch', body), 422, 'invalid_request');
});

test.each(['', ' ', '{', '{"latitude":NaN}', "{'latitude':1}", '{"latitude":1,}', 'undefined'])(
  'the body %j is invalid_json 400',
  async (body) => {
    const error = await expectError(await predict(body), 400, 'invalid_json');
    expect(error.details).toBeUndefined();
  },
);

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/merge-patch+json',
  'text/json',
  'nonsense',
])('Content-Type %s is unsupported_media_type 415', async (contentType) => {
  await expectError(
    await predict(PREDICT_REQUEST, { 'content-type': contentType }),
    415,
    'unsupported_media_type',
  );
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  'Content-Type %s is accepted',
  async (contentType) => {
    expect((await predict(PREDICT_REQUEST, { 'content-type': contentType })).status).toBe(200);
  },
);

test('a POST without Content-Type and a compressed one are unsupported_media_type 415', async () => {
  const untyped = await fetch(`${service.apiUrl}/v1/predict`, {
    method: 'POST',
    headers: { 'x-api-key': service.key },
  });
  await expectError(untyped, 415, 'unsupported_media_type');
  await expectError(
    await predict(PREDICT_REQUEST, { 'content-encoding': 'gzip' }),
    415,
    'unsupported_media_type',
  );
});

test('a body over the limit is payload_too_large 413 with limit_bytes', async () => {
  const { details } = await expectError(await predict(' '.repeat(2 ** 20 + 1)), 413, 'payload_too_large');
  expect(details).toEqual({ limit_bytes: 1_048_576 });
});
