import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test as anyTest, expect } from 'vitest';
import { collection, FOREST_RING, PLAN_REQUEST, unit } from '../http/support/units.js';
import { expectError } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { temporaryFolder } from '../support/service-process.js';
import { issueKey } from './support/administer.js';
import { Layout, type Replica } from './support/layout.js';
import { DEPLOY_TOOLS } from './support/tools.js';

const LARGEST_BATCH = JSON.stringify({ requests: Array(500).fill(PREDICT_REQUEST) });

/** One replica on the embedded store behind nginx, and its key. */
async function startOne(): Promise<{ layout: Layout; replica: Replica; headers: Record<string, string> }> {
  const database = `sqlite:${path.join(temporaryFolder(), 'keys.db')}`;
  const { secret } = await issueKey(database, 'hypha');
  const [layout, replica] = await Layout.start(database, 1);
  const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
  return { layout, replica: replica!, headers };
}

const test = anyTest.skipIf(DEPLOY_TOOLS === undefined);

test("nginx as shipped passes on large batches, tables and plans, their answers, the caller's request id and the service's own refusals, and says in the one error body what it refuses itself", async () => {
  const { layout, headers } = await startOne();
  const batch = `${layout.url}/v1/predict/batch`;
  const answer = await fetch(batch, {
    method: 'POST',
    headers: { ...headers, 'x-request-id': 'mine-1' },
    body: LARGEST_BATCH,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).toBe('mine-1');
  expect(answer.headers.get('content-encoding')).not.toBeNull();
  expect(await answer.json()).toMatchObject({ summary: { total: 500, successful: 500 } });

  const tooLarge = { method: 'POST', headers, body: ' '.repeat(1024 * 1024 + 1) };
  const { details } = await expectError(await fetch(batch, tooLarge), 413, 'payload_too_large');
  expect(details).toEqual({ limit_bytes: 1024 * 1024 });
  await expectError(await fetch(`${layout.url}/nowhere`, { headers }), 404, 'not_found');

  const huge = { method: 'POST', headers, body: ' '.repeat(2 * 1024 * 1024 + 1) };
  await expectError(await fetch(`${layout.url}/v1/predict`, huge), 413, 'payload_too_large');
  const hugePlan = { method: 'POST', headers, body: ' '.repeat(9 * 1024 * 1024 + 1) };
  const refused = await fetch(`${layout.url}/v1/plan`, hugePlan);
  expect((await expectError(refused, 413, 'payload_too_large')).details).toEqual({
    limit_bytes: 8 * 1024 * 1024,
  });
  const long = { headers: { ...headers, 'x-long': 'x'.repeat(17 * 1024) } };
  await expectError(await fetch(`${layout.url}/v1/species`, long), 431, 'invalid_request');
  for (const [expected, request] of [
    [400, 'GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [400, rawRequest('GET /% HTTP/1.1', [])],
    [400, rawRequest('GET / HTTP/2.0', [])],
    [400, rawRequest('POST /v1/predict HTTP/1.1', ['Transfer-Encoding: gzip'])],
    [400, rawRequest('POST /v1/predict/table HTTP/1.1', ['Transfer-Encoding: chunked'], 'no size\r\n')],
    [431, rawRequest(`GET /${'x'.repeat(17 * 1024)} HTTP/1.1`, [])],
    [405, rawRequest('TRACE /v1/health HTTP/1.1', [])],
  ] as const) {
    const { status, body } = await sendRaw(layout.url, request);
    const code = expected === 405 ? 'method_not_allowed' : 'invalid_request';
    expect([status, JSON.parse(body).error.code]).toEqual([expected, code]);
  }
  await expectError(await fetch(`${layout.url}/_nginx/invalid`, { headers }), 404, 'not_found');

  const line = `44.12,-122.03,PSME,manual,${'x'.repeat(100)}`;
  const rows = 30_000;
  const table = await fetch(`${layout.url}/v1/predict/table?horizons=5`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: ['latitude,longitude,species_code,planting_method,note', ...Array(rows).fill(line), ''].join('\n'),
  });
  expect(table.status).toBe(200);
  const lines = (await table.text()).trimEnd().split('\n');
  expect(lines).toHaveLength(rows + 1);
  expect(lines.every((each, row) => row === 0 || each.startsWith(line))).toBe(true);

  const large = { ...unit(1, FOREST_RING), properties: { note: 'x'.repeat(5 * 1024 * 1024) } };
  const plan = await fetch(`${layout.url}/v1/plan`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...PLAN_REQUEST, units: collection(large) }),
  });
  expect(plan.status).toBe(200);
  expect(await plan.json()).toMatchObject({ units: [{ id: 1, options: [{ rank: 1 }, { rank: 2 }] }] });
});

test('nginx as shipped answers at once with unavailable, Retry-After and a request id where no replica is left, and logs no key, wherever its caller put it', async () => {
  const { layout, replica, headers } = await startOne();
  await replica.process.stop();
  const response = await fetch(`${layout.url}/v1/species`, { headers });
  expect(response.headers.get('retry-after')).toBe('1');
  await expectError(response, 503, 'unavailable');
  await expect.poll(() => layout.balancerLog).toContain('"path":"/v1/species","status":"503"');

  const key = headers['x-api-key'];
  await fetch(`${layout.url}/v1/${key}?key=${key}`, { headers: { ...headers, 'x-request-id': key } });
  await expect.poll(() => layout.balancerLog).toContain('"path":"","status":"503"');
  expect(layout.balancerLog).not.toContain(key);
});

test('the command of docs/deployment.md makes a nginx.conf for machines without containers, with three replicas', () => {
  const project = path.join(import.meta.dirname, '../..');
  const deployment = readFileSync(path.join(project, 'docs/deployment.md'), 'utf8');
  const [, command] = /^(sed -E [^>]+) > \/etc\/nginx\/nginx\.conf$/m.exec(deployment)!;
  const conf = execFileSync('sh', ['-c', command!], { cwd: project, encoding: 'utf8' });
  expect(conf.match(/server 127\.0\.0\.1:\d+ .*;/g)).toEqual(
    [8081, 8082, 8083].map((port) => `server 127.0.0.1:${port} max_fails=3 fail_timeout=2s;`),
  );
  expect(conf).not.toMatch(/resolver|127\.0\.0\.11|\/dev\/stdout/);

  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'nginx.conf'), conf.replace('/var/log/nginx', folder));
  const checked = spawnSync(
    path.join(DEPLOY_TOOLS!, 'nginx'),
    ['-t', '-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', 'stderr'],
    { encoding: 'utf8' },
  );
  expect(checked.stderr).toContain('test is successful');
});
