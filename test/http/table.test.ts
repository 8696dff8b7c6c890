import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import { TABLE_TYPES } from '../../src/formats/table/table-request.js';
import { batchResponseSchema } from '../../src/http/response/schemas.js';
import { ProjectCopy } from '../../testing/project-copy.js';
import { addIntervalModels } from '../prediction/support/interval-models.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { expectError } from '../support/error-body.js';
import { FOREST_SITE, OUTSIDE_COVERAGE, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { csvOf, postTable, readCsv, TABLE_PATH } from './support/tables.js';

const LIMIT_ROWS = 1500;
const LIMIT_BYTES = 200_000;

const copy = new ProjectCopy();
addIntervalModels(copy);
const service = await serviceOfFile({
  MODEL_DIR: copy.modelDir,
  TABLE_LIMIT_ROWS: String(LIMIT_ROWS),
  TABLE_LIMIT_BYTES: String(LIMIT_BYTES),
  BODY_LIMIT_BYTES: '100000',
});
copy.remove();

const keyOf = async (tier: 'spore' | 'mycel') => ({ 'x-api-key': (await service.issueKey(tier)).secret });

test('a table has the answers that a batch with the options of its query has', async () => {
  const query = '?horizons=5,1,5&include=intervals,,intervals&warming_c=2.5&precipitation_change_percent=-10';
  const options = {
    horizons: [1, 5],
    include: ['intervals'],
    scenario: { warming_c: 2.5, precipitation_change_percent: -10 },
  };
  const sites = scatteredSites(400).map((site, i) => ({
    ...PREDICT_REQUEST,
    ...site,
    ...(i % 9 === 0 && FOREST_SITE),
  }));
  const response = await postTable(service, csvOf(sites), query);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('model-outcomes')).toBe('simulated');
  const requests = sites.map((site) => ({ ...site, ...options }));
  const batch = await service.post('/v1/predict/batch', { requests });
  const { results } = batchResponseSchema.parse(await batch.json());
  const expected = results.map((result) => {
    if ('error' in result) return ['', '', '', '', result.error.code];
    const numbers = result.predictions.flatMap(({ survival_probability, interval }) => [
      survival_probability,
      interval!.low,
    ]);
    return [...numbers.map(String), ''];
  });
  const answered = readCsv(await response.text());
  expect(
    answered.map(({ survival_1, low_1, survival_5, low_5, error_code }) => [
      ...[survival_1, low_1, survival_5, low_5, error_code],
    ]),
  ).toEqual(expected);
});

test('a table may have as many rows as the tier allows, and one more is batch_too_large', async () => {
  const tableOf = (rows: number) => csvOf(Array(rows).fill(PREDICT_REQUEST));
  for (const [tier, allowed, headers] of [
    ['spore', 10, await keyOf('spore')],
    ['mycel', 100, await keyOf('mycel')],
    ['hypha', LIMIT_ROWS, {}],
  ] as const) {
    const fitting = await postTable(service, tableOf(allowed), '', headers);
    expect(readCsv(await fitting.text())).toHaveLength(allowed);
    const submitted = allowed + 1;
    const error = await expectError(
      await postTable(service, tableOf(submitted), '', headers),
      422,
      'batch_too_large',
    );
    expect(error.details).toEqual({ submitted, tier_limit: allowed, tier });
  }
});

test('a body may have as many bytes as the tier allows, and one more is payload_too_large', async () => {
  const line = Object.values(PREDICT_REQUEST).join();
  const header = `${Object.keys(PREDICT_REQUEST).join()}\n`;
  for (const [limit, headers] of [
    [100_000, await keyOf('mycel')],
    [LIMIT_BYTES, {}],
  ] as const) {
    const fitting = `${header}${line}`.padEnd(limit, ' ');
    const fits = await postTable(service, fitting, '', headers);
    expect(readCsv(await fits.text())[0].error_code).toBe('invalid_method');
    const error = await expectError(
      await postTable(service, `${fitting} `, '', headers),
      413,
      'payload_too_large',
    );
    expect(error.details).toEqual({ limit_bytes: limit });
  }
});

test('the checks of a table come in the order of the interface', async () => {
  const csv = csvOf([PREDICT_REQUEST]);
  const large = ' '.repeat(LIMIT_BYTES + 1);
  const all = { accept: 'text/html', 'content-type': 'text/html', 'content-encoding': 'br' };
  const bad = '?horizons=2';
  const exhausted = await service.exhaustedKey();
  const refuse = (status: number, code: ErrorCode, body: string, query: string, headers = {}) =>
    postTable(service, body, query, headers).then((response) => expectError(response, status, code));
  const acceptable = { ...all, accept: '*/*' };
  await expectError(await service.get(TABLE_PATH + bad, all), 405, 'method_not_allowed');
  await refuse(401, 'invalid_api_key', large, bad, { ...all, 'x-api-key': '' });
  await refuse(429, 'rate_limit_exceeded', large, bad, { ...all, ...exhausted });
  const { details } = await refuse(406, 'not_acceptable', large, bad, all);
  expect(details).toEqual({ available: TABLE_TYPES });
  const { message } = await refuse(415, 'unsupported_media_type', large, bad, acceptable);
  expect(message).toContain('text/html');
  await refuse(415, 'unsupported_media_type', large, bad, { 'content-type': 'text/csv; charset="latin1"' });
  await refuse(415, 'unsupported_media_type', large, bad, { 'content-encoding': 'br' });
  await refuse(413, 'payload_too_large', large, bad);
  await refuse(422, 'invalid_request', 'x', bad);
  await refuse(422, 'invalid_request', 'x', '');
  await refuse(422, 'invalid_request', csv.replaceAll('latitude', 'lat'), '');
  expect((await postTable(service, csv)).status).toBe(200);
});

test.each([
  ['?limit=5', 'limit'],
  ['?horizons=', 'horizons'],
  ['?horizons=1,2', 'horizons'],
  ['?horizons=1&horizons=3', 'horizons'],
  ['?include=explanation', 'include'],
  ['?warming_c=hot', 'warming_c'],
  ['?warming_c=10.5', 'warming_c'],
  ['?warming_c=', 'warming_c'],
  ['?precipitation_change_percent=-81', 'precipitation_change_percent'],
  ['?elevation_m=500', 'elevation_m'],
])('the query "%s" is invalid_request that names %s', async (query, path) => {
  const error = await expectError(
    await postTable(service, csvOf([PREDICT_REQUEST]), query),
    422,
    'invalid_request',
  );
  expect(error.details).toEqual({ issues: [{ path, message: expect.stringContaining(path) }] });
});

test('the error for thousands of unknown parameters names the first five', async () => {
  const query = `?${Array.from({ length: 2000 }, (_, i) => `x${i}`).join('&')}`;
  const response = await postTable(service, csvOf([PREDICT_REQUEST]), query);
  const { details } = await expectError(response, 422, 'invalid_request');
  expect((details as { issues: { path: string }[] }).issues.map(({ path }) => path)).toEqual(
    [0, 1, 2, 3, 4].map((i) => `x${i}`),
  );
});

test.each(['gzip', 'br'])('an answer is compressed with %s for a caller who accepts it', async (encoding) => {
  const csv = csvOf(scatteredSites(700).map((site) => ({ ...PREDICT_REQUEST, ...site })));
  const plain = await postTable(service, csv, '', { 'accept-encoding': 'identity' });
  const compressed = await postTable(service, csv, '', { 'accept-encoding': encoding });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe(encoding);
  expect(compressed.headers.get('vary')).toBe('accept-encoding');
  expect(await compressed.text()).toBe(await plain.text());
});

test('Accept chooses the format of the answer, and without it the answer has that of the table', async () => {
  const csv = csvOf([PREDICT_REQUEST]);
  const typeFor = async (accept: string) =>
    (await postTable(service, csv, '', { accept })).headers.get('content-type');
  for (const accept of ['*/*', '', 'text/csv; charset=utf-8', 'text/csv; header=present'])
    expect(await typeFor(accept)).toBe('text/csv; charset=utf-8');
  for (const accept of ['application/x-ndjson', 'text/csv;q=0.5, application/x-ndjson'])
    expect(await typeFor(accept)).toBe('application/x-ndjson');
  const response = await postTable(service, csv, '', { accept: 'application/x-ndjson' });
  const { error_code, ...row } = JSON.parse(await response.text());
  expect({ row, error_code }).toEqual({
    row: expect.objectContaining({ region: 'US-OR' }),
    error_code: null,
  });
});

test('a table is one request of the quota, and its rows are counted as sites by their outcome', async () => {
  const spore = await keyOf('spore');
  const before = await readMetrics(service.opsUrl);
  const rows = [
    PREDICT_REQUEST,
    OUTSIDE_COVERAGE,
    { ...PREDICT_REQUEST, ...FOREST_SITE, species_code: 'XXXX' },
  ];
  const response = await postTable(service, csvOf([...rows, PREDICT_REQUEST]), '', spore);
  expect(response.headers.get('ratelimit')).toContain('r=99;');
  await response.text();
  const after = await readMetrics(service.opsUrl);
  const sites = ({ text }: typeof before, outcome: string) =>
    Number(new RegExp(`^nurselog_sites_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const counted = ['answered', 'outside_coverage', 'invalid_species'].map(
    (outcome) => sites(after, outcome) - sites(before, outcome),
  );
  expect(counted).toEqual([2, 1, 1]);
});
