import { once } from 'node:events';
import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { expectError } from '../support/error-body.js';
import { LogLines } from '../support/log-lines.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { csvOf, postTable } from './support/tables.js';

/** A line with a value in Prometheus's text format, with NaN in any case. */
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? ([-+]?(?:\d[\d.eE+-]*|Inf)|Na[Nn])$/;

const log = new LogLines();

const service = await serviceOfFile({ WORKERS: '2' }, undefined, log);

const ops = (path: string) => fetch(service.opsUrl + path);
const metrics = () => readMetrics(service.opsUrl);
const lineOf = (requestId: string) =>
  log.find((line) => line.request_id === requestId && line.msg === 'request');

test("/livez and /readyz are 200 on the operators' address", async () => {
  expect(new URL(service.opsUrl).port).not.toBe(new URL(service.apiUrl).port);
  expect((await ops('/livez')).status).toBe(200);
  const ready = await ops('/readyz');
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ status: 'ready', reasons: [] });
});

test("a refusal on the operators' address names its endpoints", async () => {
  for (const path of ['/nope', '/%zz', '/v1/health', '/v1/species', '/openapi.json']) {
    const { message } = await expectError(await ops(path), 404, 'not_found');
    expect(message).toContain(': the endpoints of this address are /livez, /readyz and /metrics.');
  }
});

test('/metrics is in the Prometheus text format, each metric with help and type', async () => {
  const response = await ops('/metrics');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const described = (kind: string) =>
    new Set([...text.matchAll(new RegExp(`^# ${kind} (\\S+)`, 'gm'))].map(([, name]) => name));
  expect(described('HELP')).toEqual(described('TYPE'));
  const isDescription = (line: string) => /^# (HELP|TYPE) [a-zA-Z_:][\w:]* \S/.test(line);
  for (const line of text.split('\n').filter((each) => each !== '' && !isDescription(each))) {
    expect(line).toMatch(SAMPLE);
    const family = SAMPLE.exec(line)![1];
    expect(
      [family, family.replace(/_(bucket|sum|count|total)$/, '')].some((it) => described('TYPE').has(it)),
    ).toBe(true);
  }
});

test('requests and sites are counted in the metrics by route, status, tier and outcome', async () => {
  const before = await metrics();
  const requests = [PREDICT_REQUEST, PREDICT_REQUEST, OUTSIDE_COVERAGE, { latitude: 'x' }];
  await service.post('/v1/predict/batch', { requests }, { 'x-request-id': 'metrics-1' });
  await lineOf('metrics-1');
  const after = await metrics();
  const moved = (name: string, labels = '') => after.sum(name, labels) - before.sum(name, labels);
  expect(moved('nurselog_sites_total', '{outcome="answered"}')).toBe(2);
  expect(moved('nurselog_sites_total', '{outcome="outside_coverage"}')).toBe(1);
  expect(moved('nurselog_sites_total', '{outcome="invalid_request"}')).toBe(1);
  const labels = '{route="/v1/predict/batch",method="POST",status="200",tier="hypha"}';
  expect(moved('nurselog_http_request_duration_seconds_count', labels)).toBe(1);
  expect(moved('nurselog_queue_duration_seconds_count')).toBe(1);
  expect(moved('nurselog_inference_duration_seconds_count')).toBe(1);
  expect(moved('nurselog_inference_duration_seconds_sum')).toBeGreaterThan(0);
  expect(after.value('nurselog_workers_ready')).toBe(2);
  expect(after.value('nurselog_queue_sites')).toBe(0);
});

test('the log line of a request has its id, key id, tier, sites, queue and inference time', async () => {
  const { id, secret } = await service.issueKey('spore');
  const headers = { 'x-api-key': secret, 'x-request-id': 'log-1' };
  const { headers: answered } = await service.post(
    '/v1/predict/batch',
    { requests: Array(7).fill(PREDICT_REQUEST) },
    headers,
  );
  const line = await lineOf('log-1');
  expect(line).toMatchObject({
    request_id: 'log-1',
    key_id: id,
    tier: 'spore',
    method: 'POST',
    route: '/v1/predict/batch',
    status: 200,
    sites: 7,
  });
  const timing = (name: string) =>
    Number(new RegExp(`${name};dur=([\\d.]+)`).exec(answered.get('server-timing')!)![1]);
  expect(line.queue_ms).toBe(timing('queue'));
  expect(line.inference_ms).toBe(timing('inference'));
  expect(line.inference_ms).toBeGreaterThan(0);
  expect(line.duration_ms).toBeGreaterThanOrEqual(line.queue_ms as number);
});

test('a table has the times of its first chunk in a header, and of all of it in its log line and in the metrics', async () => {
  const before = await metrics();
  const table = csvOf(Array(3000).fill(PREDICT_REQUEST)); // two chunks
  const response = await postTable(service, table, '', { 'x-request-id': 'log-table' });
  await response.text();
  expect(response.headers.get('server-timing')).toMatch(/^queue;dur=\d+\.\d{3}, inference;dur=\d+\.\d{3}$/);
  const line = await lineOf('log-table');
  expect(line).toMatchObject({ route: '/v1/predict/table', status: 200, sites: 3000 });
  expect(line.queue_ms).toBeGreaterThan(0);
  expect(line.inference_ms).toBeGreaterThan(0);
  const after = await metrics();
  for (const name of ['nurselog_queue_duration_seconds_count', 'nurselog_inference_duration_seconds_count'])
    expect(after.value(name) - before.value(name)).toBe(1);
});

test('rejected requests have a log line, with what is known of them', async () => {
  await service.get('/v1/nothing', { 'x-request-id': 'log-404' });
  await service.post('/v1/predict', '{', { 'x-request-id': 'log-400' });
  await service.get('/v1/species', { 'x-api-key': 'x', 'x-request-id': 'log-401' });
  expect(await lineOf('log-404')).toMatchObject({ status: 404 });
  expect(await lineOf('log-400')).toMatchObject({ status: 400, tier: 'hypha' });
  const unauthenticated = await lineOf('log-401');
  expect(unauthenticated).toMatchObject({ status: 401 });
  expect(unauthenticated).not.toHaveProperty('key_id');
});

test('an answer whose connection closes before its last byte is sent is logged with status 499', async () => {
  const socket = await openSocket(service.apiUrl);
  // The answer is larger than the buffers of both sides.
  const request = 'GET /v1/surfaces/PSME?max_points=50000 HTTP/1.1';
  const headers = [`X-API-Key: ${service.key}`, 'X-Request-Id: unread', 'Accept: application/geo+json'];
  socket.write(rawRequest(request, headers));
  await once(socket, 'readable');
  socket.destroy();
  const { status } = await log.find((line) => line.request_id === 'unread' && line.status !== 200);
  expect(status).toBe(499);
});
