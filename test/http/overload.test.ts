import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { errorHandler } from '../../src/http/errors.js';
import { JobError } from '../../src/work/job.js';
import { parseErrorBody } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BATCH_500 = JSON.stringify({ requests: Array(500).fill(PREDICT_REQUEST) });
const BATCH_100 = JSON.stringify({ requests: Array(100).fill(PREDICT_REQUEST) });

const releases = new Releases();

afterAll(() => releases.remove());
releases.put(1);
releases.replaceModels({ idleProducts: 3 }); // slow models, so that the queue stays full
const slow = { ...releases.environment, CACHE_BYTES: '0' };
const service = await serviceOfFile({ ...slow, WORKERS: '1', QUEUE_LIMIT_SITES: '500' });

/** Keeps a dozen batches in flight until the returned function is called. */
function startFlood(headers = {}, batch = BATCH_500): () => Promise<void> {
  let isFlooding = true;
  const flood = async () => {
    while (isFlooding) await (await service.post('/v1/predict/batch', batch, headers)).arrayBuffer();
  };
  const floods = Array.from({ length: 12 }, flood);
  const end = async () => {
    isFlooding = false;
    await Promise.all(floods);
  };
  onTestFinished(end); // also where the test fails
  return end;
}

/** Expects answers to small batches that are sent at once and whose sites just fit into the queue. */
async function expectRoom(): Promise<void> {
  const tenSites = JSON.stringify({ requests: Array(10).fill(PREDICT_REQUEST) });
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => service.post('/v1/predict/batch', tenSites)),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
}

test('the queue accepts small batches until their sites fill it, however many callers send them', expectRoom);

/** Sends the head of a batch, and no body. */
async function announceBatch(key = service.key): Promise<Socket> {
  const socket = await openSocket(service.apiUrl);
  const headers = [`X-API-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: 50000'];
  socket.write(rawRequest('POST /v1/predict/batch HTTP/1.1', headers));
  return socket;
}

test('batches whose bodies never arrive keep no other batch out, and take no space once their callers are gone', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => announceBatch()));
  for (let batch = 0; batch < 3; batch++)
    expect((await service.post('/v1/predict/batch', BATCH_500)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await eventually(expectRoom);
});

test('a full queue answers limited and unlimited tiers with the same 503 overloaded, which is not counted; the queue empties', async () => {
  const send = async (id: string, secret: string) => {
    const headers = { 'x-api-key': secret, 'x-request-id': 'of-a-test' };
    const response = await service.post('/v1/predict/batch', BATCH_100, headers);
    const responseHeaders = Object.fromEntries(response.headers);
    for (const name of ['date', 'ratelimit', 'ratelimit-policy']) delete responseHeaders[name];
    return { id, status: response.status, responseHeaders, body: await response.text() };
  };
  const keys = [await service.issueKey('hypha'), await service.issueKey('mycel')];
  const sent: Awaited<ReturnType<typeof send>>[] = [];
  const refusedOf = (key: { id: string }) => sent.filter(({ id, status }) => id === key.id && status === 503);
  const endFlood = startFlood();
  await eventually(async () => {
    const round = keys.flatMap(({ id, secret }) => Array.from({ length: 10 }, () => send(id, secret)));
    sent.push(...(await Promise.all(round)));
    for (const key of keys) expect(refusedOf(key)).not.toEqual([]);
  });
  await endFlood();
  await service.flushCounts();

  const [hypha, mycel] = keys.map((key) => refusedOf(key)[0]);
  expect(hypha!.responseHeaders).toMatchObject({ 'retry-after': '1', 'x-request-id': 'of-a-test' });
  expect(parseErrorBody(hypha!.body)).toEqual({ code: 'overloaded', message: expect.any(String) });
  expect({ ...hypha, id: '' }).toEqual({ ...mycel, id: '' });
  for (const { id } of keys) {
    const answered = sent.filter((one) => one.id === id && one.status === 200).length;
    const usage = await service.administration.usage({ keyId: id });
    expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(answered);
  }
  for (const { id, secret } of keys) expect((await send(id, secret)).status).toBe(200);
});

test.each(['hypha', 'mycel'] as const)(
  'a full queue refuses a batch of the %s tier before its body is read',
  async (tier) => {
    const { secret } = await service.issueKey(tier);
    const endFlood = startFlood({ 'x-api-key': secret }, BATCH_100);
    await eventually(async () => {
      const socket = await announceBatch(secret);
      // A batch that is admitted waits for its body and gets no answer, so another one is tried.
      try {
        await once(socket, 'readable', { signal: AbortSignal.timeout(100) });
        expect(String(socket.read())).toMatch(/^HTTP\/1\.1 503 /);
      } finally {
        socket.destroy();
      }
    });
    await endFlood();
  },
);

test('an answer whose first bytes come too late is 503 overloaded', async () => {
  const app = Fastify().setErrorHandler(errorHandler(500));
  app.get('/', (_request, reply) =>
    reply.send(new Readable({ construct: (done) => done(new JobError('timed-out')) })),
  );
  const { statusCode, body } = await app.inject('/');
  expect(statusCode).toBe(503);
  expect(parseErrorBody(body).message).toBe('The request timed out after 500 ms: try again shortly.');
});
