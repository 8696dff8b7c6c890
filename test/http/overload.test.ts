import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-body.js';
import { openSocket } from '../support/raw-http.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const BATCH_500 = JSON.stringify({ requests: Array(500).fill(PREDICT_REQUEST) });
const BATCH_100 = JSON.stringify({ requests: Array(100).fill(PREDICT_REQUEST) });

describe('a full work queue', () => {
  const releases = new Releases();
  let service: TestService;
  beforeAll(async () => {
    releases.put(1);
    releases.slowDown(3); // or the queue would be full for moments only
    const slow = { ...releases.environment, CACHE_BYTES: '0' };
    service = await startTestService({ ...slow, WORKERS: '1', QUEUE_LIMIT_SITES: '500' });
  });
  afterAll(async () => {
    await service.stop();
    releases.remove();
  });

  /** Keeps a dozen batches on their way, until the function that it returns is called. */
  function startFlood(headers = {}, batch = BATCH_500): () => Promise<void> {
    let isFlooding = true;
    const flood = async () => {
      while (isFlooding) await (await service.post('/v1/predict/batch', batch, headers)).arrayBuffer();
    };
    const floods = Array.from({ length: 12 }, flood);
    return async () => {
      isFlooding = false;
      await Promise.all(floods);
    };
  }

  it('takes as many small batches as their sites fit, however many callers send them', async () => {
    const tenSites = JSON.stringify({ requests: Array(10).fill(PREDICT_REQUEST) });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => service.post('/v1/predict/batch', tenSites)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
  });

  it('is answered with overloaded 503 and Retry-After, is not counted, and passes (4, 6)', async () => {
    const mycel = { 'x-api-key': (await service.issueKey('mycel')).secret };
    const refused: Response[] = [];
    let answered = 0;
    const endFlood = startFlood();
    while (refused.length === 0) {
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => service.post('/v1/predict/batch', BATCH_100, mycel)),
      );
      for (const response of responses) {
        if (response.status === 200) answered++;
        else refused.push(response);
      }
    }
    await endFlood();

    for (const response of refused) {
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(response.headers.get('ratelimit')).toMatch(/^"daily";r=\d+;t=\d+$/);
      expect((await expectError(response, 503, 'overloaded')).details).toBeUndefined();
    }
    const last = await service.post('/v1/predict/batch', BATCH_100, mycel);
    expect(last.status).toBe(200);
    expect(last.headers.get('ratelimit')).toMatch(new RegExp(`r=${10_000 - answered - 1};`));
  });

  it('is told alike to a caller of an unlimited tier, who is turned away at once, and is not counted (4, 6)', async () => {
    const send = async (id: string, secret: string) => {
      const headers = { 'x-api-key': secret, 'x-request-id': 'of-a-test' };
      const response = await service.post('/v1/predict/batch', BATCH_100, headers);
      const told = Object.fromEntries(response.headers);
      for (const name of ['date', 'ratelimit', 'ratelimit-policy']) delete told[name];
      return { id, status: response.status, told, body: await response.text() };
    };
    const keys = [await service.issueKey('hypha'), await service.issueKey('mycel')];
    const sent: Awaited<ReturnType<typeof send>>[] = [];
    const refusedOf = (key: { id: string }) =>
      sent.filter(({ id, status }) => id === key.id && status === 503);
    const endFlood = startFlood();
    while (keys.some((key) => refusedOf(key).length === 0)) {
      const round = keys.flatMap(({ id, secret }) => Array.from({ length: 10 }, () => send(id, secret)));
      sent.push(...(await Promise.all(round)));
    }
    await endFlood();
    await service.flushCounts();

    const [hypha, mycel] = keys.map((key) => refusedOf(key)[0]);
    expect(hypha!.told).toMatchObject({ 'retry-after': '1', 'x-request-id': 'of-a-test' });
    expect({ ...hypha, id: '' }).toEqual({ ...mycel, id: '' });
    for (const { id } of keys) {
      const answered = sent.filter((one) => one.id === id && one.status === 200).length;
      const usage = await service.administration.usage({ keyId: id });
      expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(answered);
    }
  });

  it.each(['hypha', 'mycel'] as const)(
    'refuses a batch of the %s tier before its body is read',
    async (tier) => {
      const { secret } = await service.issueKey(tier);
      const endFlood = startFlood({ 'x-api-key': secret }, BATCH_100);
      const head = [
        'POST /v1/predict/batch HTTP/1.1',
        'Host: test',
        `X-API-Key: ${secret}`,
        'Content-Type: application/json',
        `Content-Length: ${BATCH_100.length}`,
      ];
      let answer = '';
      while (answer === '') {
        const socket = await openSocket(service.apiUrl);
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
        // A batch that is let in waits for its body and gets no answer: another is tried.
        await Promise.race([once(socket, 'readable'), delay(50)]);
        answer = String(socket.read() ?? '');
        socket.destroy();
      }
      await endFlood();
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    },
  );
});
