import path from 'node:path';
import { expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { sendRaw } from '../support/raw-http.js';
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

const itBehindNginx = test.skipIf(DEPLOY_TOOLS === undefined);

itBehindNginx(
  "nginx as shipped passes on the largest batch, its compressed answer, the caller's request id and the service's own refusals",
  async () => {
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
  },
);

itBehindNginx('nginx as shipped says in the one error body what it refuses itself', async () => {
  const { layout, headers } = await startOne();
  const huge = { method: 'POST', headers, body: ' '.repeat(2 * 1024 * 1024 + 1) };
  await expectError(await fetch(`${layout.url}/v1/predict`, huge), 413, 'payload_too_large');
  const long = { headers: { ...headers, 'x-long': 'x'.repeat(17 * 1024) } };
  await expectError(await fetch(`${layout.url}/v1/species`, long), 431, 'invalid_request');
  const hostless = await sendRaw(layout.url, 'GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(hostless).toMatchObject({ status: 400 });
  expect(JSON.parse(hostless.body)).toMatchObject({ error: { code: 'invalid_request' } });
});

itBehindNginx(
  'nginx as shipped answers at once with unavailable, Retry-After and a request id where no replica is left',
  async () => {
    const { layout, replica, headers } = await startOne();
    replica.process.signal('SIGTERM');
    await replica.process.exit;
    const response = await fetch(`${layout.url}/v1/species`, { headers });
    expect(response.headers.get('retry-after')).toBe('1');
    await expectError(response, 503, 'unavailable');
    await expect.poll(() => layout.balancerLog).toContain('"path":"/v1/species","status":"503"');
  },
);

itBehindNginx('nginx as shipped logs no key, wherever its caller put it', async () => {
  const { layout, replica, headers } = await startOne();
  replica.process.signal('SIGKILL');
  await replica.process.exit;
  const key = headers['x-api-key'];
  await fetch(`${layout.url}/v1/${key}?key=${key}`, { headers: { ...headers, 'x-request-id': key } });
  await expect.poll(() => layout.balancerLog).toContain('"path":"","status":"503"');
  expect(layout.balancerLog).not.toContain(key);
});
