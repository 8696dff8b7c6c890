import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const BODY = JSON.stringify({ ...PREDICT_REQUEST, horizons: [1] });

/** The body with the JSON of one field replaced by any text. */
function withField(field: string, json: string): string {
  const value = JSON.stringify((JSON.parse(BODY) as Record<string, unknown>)[field]);
  return BODY.replace(`"${field}":${value}`, () => `"${field}":${json}`);
}

/** The fields that a single response and an element of a batch share. */
interface Element {
  readonly error?: object;
  readonly site?: object;
  readonly predictions?: object[];
}

const DEPTH = 100_000;
const NOT_A_NUMBER = [
  '1e999',
  '-1e999',
  '"44.1"',
  'null',
  'true',
  '[]',
  '[44.1]',
  '{}',
  '{"valueOf":44}',
  '""',
];
const NOT_JSON = ['NaN', 'Infinity', '0x10', '01', '+1', '.5', '1.', "'a'", 'undefined', '1e', '--1'];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Sends a body alone and, unless it is 400, expects the same body as an entry of a batch to get the same result. */
async function predict(body: string | Uint8Array): Promise<Response> {
  const alone = await service.post('/v1/predict', body);
  if (typeof body !== 'string' || alone.status === 400) return alone;
  const batch = await service.post('/v1/predict/batch', `{"requests":[${body}]}`);
  const { results } = (await batch.json()) as { results: [Element] };
  const { error, site, predictions } = (await alone.clone().json()) as Element;
  expect(results[0]).toMatchObject(error === undefined ? { site, predictions } : { error });
  return alone;
}

for (const field of ['latitude', 'longitude']) {
  test.each(NOT_A_NUMBER)(`${field} must be a finite JSON number: %s`, async (json) => {
    const { details } = await expectError(await predict(withField(field, json)), 422, 'invalid_request');
    expect(details).toEqual({ issues: [{ path: field, message: expect.stringContaining(field) }] });
  });
}

const DIGITS = '9'.repeat(400);
test.each([
  [withField('latitude', '1e999'), 'latitude must be a number from -90 to 90, not Infinity'],
  [withField('longitude', '-1E+999'), 'longitude must be a number from -180 to 180, not -Infinity'],
  [withField('species_code', '1e999'), 'species_code must be a string such as "PSME", not Infinity'],
  [withField('horizons', '[1,1e999]'), 'each horizon must be one of 1, 3, 5, not Infinity'],
  [withField('latitude', DIGITS), 'not Infinity'],
  ['1e999', 'must be a JSON object, not Infinity'],
])('a number beyond those of a float64 is refused as Infinity, case %#', async (body, shown) => {
  const { message } = await expectError(await predict(body), 422, 'invalid_request');
  expect(message).toContain(shown);
});

test.each(['1', 'null', 'true', '[]', '["PSME"]', '{}', '1e999'])(
  'species_code must be a string: %s',
  async (json) => {
    await expectError(await predict(withField('species_code', json)), 422, 'invalid_request');
  },
);

test.each([
  '1',
  '"1"',
  'null',
  'true',
  '{}',
  '{"0":1,"length":1}',
  '[[1]]',
  '[null]',
  '["1"]',
  '[1.5]',
  '[1e999]',
  '[true]',
  '[{}]',
  '[-1]',
  '[0]',
])('horizons must be an array of 1, 3 and 5: %s', async (json) => {
  await expectError(await predict(withField('horizons', json)), 422, 'invalid_request');
});

test.each(['latitude', 'longitude', 'species_code', 'planting_method', 'horizons'])(
  'a value of %s that is no JSON is invalid_json',
  async (field) => {
    for (const json of NOT_JSON)
      await expectError(await predict(withField(field, json)), 400, 'invalid_json');
  },
);

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' PSME',
  'PSME\u0000',
  '\ud800',
  '💥',
])('species_code %j is invalid_species', async (code) => {
  await expectError(await predict(withField('species_code', JSON.stringify(code))), 422, 'invalid_species');
});

test.each(['__proto__', 'constructor', 'toString', '0', '1', 'length'])(
  'planting_method %j is invalid_method',
  async (method) => {
    await expectError(
      await predict(withField('planting_method', JSON.stringify(method))),
      422,
      'invalid_method',
    );
  },
);

test('__proto__ and constructor fields are unknown fields and change nothing', async () => {
  const polluted =
    '{"__proto__":{"latitude":1,"horizons":[5],"polluted":1},"constructor":{"prototype":{"polluted":1}},';
  const response = await predict(polluted + BODY.slice(1));
  expect(await response.json()).toMatchObject({
    site: { latitude: 44.12 },
    predictions: [{ horizon_years: 1 }],
  });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  const inherited = `{"__proto__":${BODY}}`;
  await expectError(await predict(inherited), 422, 'invalid_request');
});

test('the last of duplicate keys counts', async () => {
  const response = await predict(`{"latitude":"x","species_code":"XXXX",${BODY.slice(1)}`);
  expect(await response.json()).toMatchObject({ site: { latitude: 44.12 }, species_code: 'PSME' });
  await expectError(await predict(`${BODY.slice(0, -1)},"latitude":null}`), 422, 'invalid_request');
});

test.each([
  ['arrays, open', '['.repeat(DEPTH), 400, 'invalid_json'],
  ['arrays, closed', '['.repeat(DEPTH) + ']'.repeat(DEPTH), 422, 'invalid_request'],
  ['objects, closed', `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`, 422, 'invalid_request'],
  ['latitude', withField('latitude', '['.repeat(DEPTH) + ']'.repeat(DEPTH)), 422, 'invalid_request'],
  [
    'planting_method',
    withField('planting_method', '['.repeat(DEPTH) + ']'.repeat(DEPTH)),
    422,
    'invalid_method',
  ],
])('nesting 100,000 deep is rejected: %s', async (_name, body, status, code) => {
  await expectError(await predict(body), status, code);
});

test('a deep unknown field is ignored', async () => {
  expect((await predict(`${BODY.slice(0, -1)},"x":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`)).status).toBe(
    200,
  );
});

test('a byte order mark and invalid UTF-8 are invalid_json', async () => {
  await expectError(await predict(`\ufeff${BODY}`), 400, 'invalid_json');
  const bytes = Buffer.from(BODY.replace('PSME', 'PSM\u00ff'), 'latin1');
  await expectError(await predict(bytes), 400, 'invalid_json');
  await expectError(await predict(Buffer.from(BODY, 'utf16le')), 400, 'invalid_json');
});

test.each(['44.123456789012345', '44.12000000000000000000000001', '4412e-2', '4.412E+1'])(
  'latitude %s is echoed as the number nearest to it',
  async (json) => {
    const response = await predict(withField('latitude', json));
    expect(await response.json()).toMatchObject({ site: { latitude: Number(json) } });
  },
);

test.each(['-0', '5e-324', '1e-400', '90', '-90', '-90.0'])(
  'latitude %s is a place outside the coverage',
  async (json) => {
    const error = await expectError(await predict(withField('latitude', json)), 422, 'outside_coverage');
    expect(error.message).toContain(`latitude ${Number(json)}`);
    const batch = await service.post('/v1/predict/batch', `{"requests":[${withField('latitude', json)}]}`);
    expect(await batch.json()).toMatchObject({
      results: [{ latitude: Number(json) + 0, longitude: -122.03 }],
    });
  },
);

test.each(['180', '-180'])('longitude %s is a place outside the coverage', async (json) => {
  await expectError(await predict(withField('longitude', json)), 422, 'outside_coverage');
});

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

test('a key that a caller puts into a field does not come back in the error', async () => {
  const body = withField('species_code', JSON.stringify(service.key));
  const answers = [
    await predict(body),
    await service.get(`/v1/${service.key}`),
    await service.post('/v1/predict', '{}', { 'content-type': service.key }),
  ];
  for (const answer of answers) expect(await answer.text()).not.toContain(service.key.slice(-8));
});
