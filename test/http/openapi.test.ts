import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { ERROR_STATUS } from '../../src/formats/errors/api-error.js';
import type { OpenApiDocument } from '../../src/http/openapi/document.js';
import {
  COMPARE_REQUEST,
  FOREST_SITE,
  NO_NEARBY_DATA,
  OUTSIDE_COVERAGE,
  PREDICT_REQUEST,
} from '../support/requests.js';
import { sharedService } from '../support/service.js';
import { temporaryFolder } from '../support/service-process.js';
import { collection, PLAN_REQUEST, unit } from './support/units.js';

type Exchange = readonly [
  method: 'get' | 'post',
  path: string,
  status: number,
  body?: unknown,
  headers?: Record<string, string>,
];

/** Headers that belong to HTTP, not to this interface. */
const GENERIC =
  /^(date|content-(type|length)|connection|keep-alive|transfer-encoding|x-content-type-options)$/;

const COUNTED = [
  '/v1/predict',
  '/v1/predict/batch',
  '/v1/predict/compare',
  '/v1/predict/rank',
  '/v1/plan',
  '/v1/surfaces/{species_code}',
  '/v1/predict/table',
  '/v1/species',
  '/v1/coverage',
  '/v1/model',
];
const KEYED = [...COUNTED, '/v1/usage'];
const SURFACES = '/v1/surfaces/{species_code}';
/** The address of a path, whose parameter has a value. */
const addressOf = (path: string) => path.replace('{species_code}', 'PSME?bbox=-122.1,44,-122,44.1');
const pointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

const service = await sharedService();
const document = (await (await fetch(`${service.apiUrl}/openapi.json`)).json()) as OpenApiDocument;
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi');
const spore: Record<string, string> = { 'x-api-key': (await service.issueKey('spore')).secret };
const exhausted = await service.exhaustedKey();

function matches(reference: string, value: unknown): string {
  const validate = ajv.compile({ $ref: `openapi#${reference}` });
  return validate(value) ? 'valid' : ajv.errorsText(validate.errors);
}

test('/openapi.json is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test('/openapi.json passes the recommended rules of Redocly', () => {
  const file = path.join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const command = path.join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const words = [command, 'lint', '--extends', 'recommended', '--format', 'json', file];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
  const { problems } = JSON.parse(stdout) as {
    problems: { ruleId: string; location: { pointer: string }[] }[];
  };
  // Responses that belong to no operation, and a header of operations to come.
  const unused = problems.filter(({ ruleId }) => ruleId === 'no-unused-components');
  expect(problems).toEqual(unused);
  for (const { location } of unused) expect(location[0].pointer).toMatch(/(NotFound|MethodNotAllowed|ETag)$/);
});

test('/openapi.json describes every endpoint, all but health with the key', () => {
  expect(Object.keys(document.paths).toSorted()).toEqual([...KEYED, '/v1/health'].toSorted());
  for (const [path, operations] of Object.entries(document.paths)) {
    const [operation] = Object.values(operations);
    expect(operation!.security).toEqual(path === '/v1/health' ? [] : [{ ApiKey: [] }]);
  }
});

test('/openapi.json names every error code under its status', () => {
  const documented = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ responses }) =>
      Object.entries(responses as Record<string, { description: string }>),
    ),
  );
  const shared = Object.values(document.components.responses);
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    const inOperation = documented.some(
      ([at, { description }]) => at === String(status) && description.includes(`\`${code}\``),
    );
    const inShared = shared.some(({ description }) => description === `${status} \`${code}\``);
    expect([code, inOperation || inShared]).toEqual([code, true]);
  }
});

test('every body of /openapi.json is a named schema', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const contents = operations.flatMap(({ requestBody, responses }) => [
    ...(requestBody ? [requestBody.content] : []),
    ...Object.values(responses as Record<string, { content?: object }>).flatMap(
      ({ content }) => content ?? [],
    ),
  ]);
  expect(contents.length).toBeGreaterThan(operations.length);
  // A 304 has no body.
  for (const { schema } of contents.flatMap((content = {}) => Object.values(content)))
    expect(schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) });
});

test('each parameter has its location, whether it is required, and that commas separate its elements', () => {
  const [horizons] = document.paths['/v1/predict/table'].post.parameters!;
  const inQuery = { in: 'query', required: false, style: 'form', explode: false };
  expect(horizons).toMatchObject({ name: 'horizons', ...inQuery });
  const [code] = document.paths[SURFACES].get.parameters!;
  expect(code).toMatchObject({ name: 'species_code', in: 'path', required: true });
});

test('only an endpoint whose answer has an ETag answers 304, without a body', () => {
  const { responses } = document.paths[SURFACES].get;
  expect(responses[200]).toHaveProperty('headers.ETag');
  expect(responses[304].headers).toMatchObject({ ETag: {}, 'Model-Outcomes': {} });
  expect(responses[304]).not.toHaveProperty('content');
  expect(document.paths['/v1/predict/table'].post.responses).not.toHaveProperty('304');
});

const EXCHANGES: readonly Exchange[] = [
  ['post', '/v1/predict', 200, PREDICT_REQUEST],
  ['post', '/v1/predict', 200, { ...PREDICT_REQUEST, include: ['explanation', 'site'] }],
  ['post', '/v1/predict', 400, '{'],
  ['post', '/v1/predict', 401, PREDICT_REQUEST, { 'x-api-key': 'x' }],
  ['post', '/v1/predict', 413, ' '.repeat(2 ** 20 + 1)],
  ['post', '/v1/predict', 415, 'x', { 'content-type': 'text/plain' }],
  ['post', '/v1/predict', 422, {}],
  ['post', '/v1/predict', 422, OUTSIDE_COVERAGE],
  ['post', '/v1/predict', 422, NO_NEARBY_DATA],
  ['post', '/v1/predict', 422, { ...PREDICT_REQUEST, elevation_m: 4400 }],
  ['post', '/v1/predict', 422, { ...PREDICT_REQUEST, species_code: 'QUAG' }],
  ['post', '/v1/predict', 422, { ...PREDICT_REQUEST, planting_method: 1 }],
  ['post', '/v1/predict/batch', 200, { requests: [PREDICT_REQUEST, OUTSIDE_COVERAGE, 'x'] }],
  ['post', '/v1/predict/batch', 422, { requests: Array(11).fill(PREDICT_REQUEST) }],
  ['post', '/v1/predict/batch', 422, {}],
  ['post', '/v1/predict/compare', 200, COMPARE_REQUEST],
  ['post', '/v1/predict/compare', 422, OUTSIDE_COVERAGE],
  ['post', '/v1/predict/rank', 200, { ...FOREST_SITE, include: ['explanation', 'intervals', 'site'] }],
  ['post', '/v1/predict/rank', 422, { ...FOREST_SITE, planting_methods: ['x'] }],
  ['post', '/v1/predict/rank', 422, { ...FOREST_SITE, latitude: OUTSIDE_COVERAGE.latitude, longitude: 0 }],
  ['post', '/v1/plan', 200, { ...PLAN_REQUEST, costs: { manual: 1, drone_seeded: 0.5 } }],
  ['post', '/v1/plan', 200, { units: collection(unit('no ring')) }],
  ['post', '/v1/plan', 422, { ...PLAN_REQUEST, horizon: 2 }],
  ['get', SURFACES, 200],
  ['get', SURFACES, 406, undefined, { accept: 'text/html' }],
  ['get', SURFACES, 416, undefined, { accept: 'text/csv', range: 'bytes=999999999-' }],
  ['get', '/v1/species', 200],
  ['get', '/v1/coverage', 200],
  ['get', '/v1/model', 200],
  ['get', '/v1/coverage', 401, undefined, { 'x-api-key': '' }],
  ['get', '/v1/usage', 200],
  ['get', '/v1/usage', 401, undefined, { 'x-api-key': '' }],
  ['get', '/v1/health', 200],
  ...COUNTED.map((path): Exchange => {
    const method = 'post' in document.paths[path]! ? 'post' : 'get';
    return [method, path, 429, {}, exhausted];
  }),
];

async function expectDocumented(method: 'get' | 'post', path: string, response: Response) {
  const at = `/paths/${pointer(path)}/${method}/responses/${response.status}`;
  const documented = document.paths[path][method].responses[String(response.status)] as {
    headers: object;
  };
  expect(matches(`${at}/content/application~1json/schema`, await response.json())).toBe('valid');
  const names = Object.keys(documented.headers).map((name) => name.toLowerCase());
  expect(names).toEqual(
    expect.arrayContaining([...response.headers.keys()].filter((name) => !GENERIC.test(name))),
  );
}

for (const [method, path, status, body, headers] of EXCHANGES) {
  const what = JSON.stringify(body ?? headers ?? '').slice(0, 60);
  test(`/openapi.json describes the ${status} of ${method} ${path} to ${what} with its headers`, async () => {
    const all = { ...spore, ...headers };
    const response = await (method === 'post'
      ? service.post(path, body, all)
      : service.get(addressOf(path), all));
    expect(response.status).toBe(status);
    await expectDocumented(method, path, response);
  });
}

test('/openapi.json describes the 404 and 405 that belong to no endpoint', async () => {
  for (const [path, name] of [
    ['/v1/nothing', 'NotFound'],
    ['/v1/predict', 'MethodNotAllowed'],
  ] as const) {
    const response = await service.get(path);
    const { headers } = document.components.responses[name];
    expect(
      matches(`/components/responses/${name}/content/application~1json/schema`, await response.json()),
    ).toBe('valid');
    const names = Object.keys(headers).map((header) => header.toLowerCase());
    expect([...response.headers.keys()].filter((header) => !GENERIC.test(header)).toSorted()).toEqual(
      names.toSorted(),
    );
  }
});

test.each([
  ['/v1/predict', PREDICT_REQUEST, { ...PREDICT_REQUEST, latitude: 91 }],
  ['/v1/predict', { ...PREDICT_REQUEST, horizons: [1, 1], tag: 'x' }, { ...PREDICT_REQUEST, horizons: [2] }],
  ['/v1/predict', PREDICT_REQUEST, { ...PREDICT_REQUEST, planting_method: 'broadcast' }],
  ['/v1/predict', PREDICT_REQUEST, COMPARE_REQUEST],
  ['/v1/predict', { ...PREDICT_REQUEST, elevation_m: 900 }, { ...PREDICT_REQUEST, elevation_m: 4401 }],
  [
    '/v1/predict/compare',
    { ...COMPARE_REQUEST, conditions: { vpd_max: 9 } },
    { ...COMPARE_REQUEST, conditions: { vpd_max: '9' } },
  ],
  ['/v1/predict', { ...PREDICT_REQUEST, conditions: {} }, { ...PREDICT_REQUEST, conditions: { vpd: 9 } }],
  [
    '/v1/predict',
    { ...PREDICT_REQUEST, conditions: { vpd_max: 50 } },
    { ...PREDICT_REQUEST, conditions: { vpd_max: 50.5 } },
  ],
  [
    '/v1/predict',
    { ...PREDICT_REQUEST, scenario: { warming_c: 2, precipitation_change_percent: -10 } },
    { ...PREDICT_REQUEST, scenario: { warming: 2 } },
  ],
  ['/v1/predict', { ...PREDICT_REQUEST, include: ['site'] }, { ...PREDICT_REQUEST, include: ['sites'] }],
  ['/v1/predict/batch', { requests: [] }, { requests: {} }],
  ['/v1/predict/compare', COMPARE_REQUEST, { ...COMPARE_REQUEST, horizons: [] }],
  ['/v1/predict/rank', FOREST_SITE, { ...FOREST_SITE, native_only: 'yes' }],
  [
    '/v1/predict/rank',
    { ...FOREST_SITE, species_codes: ['PSME'], planting_methods: ['manual'] },
    { ...FOREST_SITE, species_codes: [] },
  ],
  [
    '/v1/predict/rank',
    { ...FOREST_SITE, species_codes: ['PSME', 'PSME'] },
    { ...FOREST_SITE, planting_methods: ['broadcast'] },
  ],
  ['/v1/plan', PLAN_REQUEST, { ...PLAN_REQUEST, costs: { manual: 1, drone: 1 } }],
  ['/v1/plan', { ...PLAN_REQUEST, horizon: 1, conditions: { slope: 3 } }, { species_codes: ['PSME'] }],
  ['/v1/plan', { units: collection() }, { ...PLAN_REQUEST, native_only: 'yes' }],
])(
  'the request schema of %s accepts what the service accepts and nothing that it rejects, case %#',
  async (path, right, wrong) => {
    const at = `/paths/${pointer(path)}/post/requestBody/content/application~1json/schema`;
    expect(matches(at, right)).toBe('valid');
    expect((await service.post(path, right)).status).toBe(200);
    expect(matches(at, wrong)).not.toBe('valid');
    expect((await service.post(path, wrong)).status).toBe(422);
  },
);
