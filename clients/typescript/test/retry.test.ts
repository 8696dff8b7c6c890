import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FOREST_SITE } from '../../../test/support/requests.js';
import { sharedService } from '../../../test/support/service.js';
import { createClient, NurselogError, type RetryPolicy, type Site } from '../src/index.js';
import { FAULTS, type Fault, startFaultyProxy } from './support/faulty-proxy.js';

const SITE: Site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };

const service = await sharedService();
const proxy = await startFaultyProxy(service.apiUrl);
afterAll(() => proxy.stop());
beforeEach(() => proxy.reset());

const clientWith = (retry: Partial<RetryPolicy> = {}) =>
  createClient({ url: proxy.url, apiKey: service.key, retry: { firstWaitMs: 1, ...retry } });

test.each(FAULTS)('a request that is %s is sent again with the same body', async (fault) => {
  proxy.faults = [fault, fault];
  expect((await clientWith().predict(SITE)).site).toMatchObject(FOREST_SITE);
  expect(proxy.requests).toBe(3);
  expect(proxy.answered.map((body) => JSON.parse(body))).toEqual([SITE]);
  proxy.faults = [fault];
  expect((await clientWith().usage()).tier).toBe('hypha');
});

test.each<[Fault, string, number | undefined]>([
  ['refused', 'connection_failed', undefined],
  ['lost', 'connection_failed', undefined],
  ['cut', 'connection_failed', undefined],
  ['busy', 'overloaded', 503],
  ['limited', 'rate_limit_exceeded', 429],
  ['gateway', 'unexpected_response', 502],
])('after the last attempt, %s is the error %s', async (fault, code, status) => {
  proxy.faults = Array<Fault>(10).fill(fault);
  const error = await clientWith({ attempts: 3 })
    .predict(SITE)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NurselogError);
  expect(error).toMatchObject({ code, status });
  expect(proxy.requests).toBe(3);
});

test('Retry-After is waited for', async () => {
  proxy.faults = ['busy'];
  proxy.retryAfter = '1';
  const started = performance.now();
  await clientWith().predict(SITE);
  // Timers may be early by a millisecond.
  expect(performance.now() - started).toBeGreaterThanOrEqual(999);
});

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toUTCString();

test.each([
  ['beyond the total wait is not waited for', IN_AN_HOUR, 1],
  ['without GMT is in GMT', IN_AN_HOUR.replace(/(.*), (.*) (.*) (.*) (.*) GMT/, '$1 $3 $2 $5 $4'), 1],
  ['that is malformed is none', '3000.5', 2],
])('a Retry-After %s: %s', async (_, retryAfter, requests) => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  onTestFinished(() => void vi.unstubAllEnvs());
  proxy.faults = ['busy'];
  proxy.retryAfter = retryAfter;
  const call = clientWith().predict(SITE);
  const outcome = await call.catch((reason: unknown) => reason);
  expect(outcome).toMatchObject(requests === 1 ? { code: 'overloaded', status: 503 } : { site: FOREST_SITE });
  expect(proxy.requests).toBe(requests);
});

test.each(['firstWaitMs', 'totalWaitMs'])('a %s that is undefined is the default', async (limit) => {
  proxy.faults = ['busy'];
  proxy.retryAfter = '3600';
  const client = createClient({ url: proxy.url, apiKey: service.key, retry: { [limit]: undefined } });
  await expect(client.predict(SITE)).rejects.toMatchObject({ code: 'overloaded' });
  expect(proxy.requests).toBe(1);
});

test('the waits of a request add up to at most the total wait', async () => {
  proxy.faults = Array<Fault>(10).fill('busy');
  const call = clientWith({ attempts: 10, firstWaitMs: 100, totalWaitMs: 250 }).predict(SITE);
  await expect(call).rejects.toMatchObject({ code: 'overloaded' });
  // Waits of 50 to 100, 100 to 200 and 200 to 400 ms: the third never fits, and the second fits unless both are long.
  expect([2, 3]).toContain(proxy.requests);
});

test('an attempt that takes too long is repeated', async () => {
  proxy.faults = ['silent', 'silent'];
  const client = clientWith({ attemptTimeoutMs: 1000, attempts: 2 });
  await expect(client.usage()).rejects.toMatchObject({ code: 'connection_failed', status: undefined });
  expect(proxy.requests).toBe(2);
});

test.each([Number.POSITIVE_INFINITY, 2 ** 31])(
  'a slow answer arrives with an attemptTimeoutMs of %d, which is beyond the maximum of timers',
  async (attemptTimeoutMs) => {
    const server = createServer((_, response) => void setTimeout(() => response.end('{"tier":"hypha"}'), 50));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createClient({ url, apiKey: 'any', retry: { attempts: 1, attemptTimeoutMs } });
    expect(await client.usage()).toEqual({ tier: 'hypha' });
  },
);

test('a Retry-After beyond the maximum of timers is not shortened to zero', async () => {
  proxy.faults = ['busy'];
  proxy.retryAfter = String(2 ** 31);
  const stop = new AbortController();
  const call = clientWith({ totalWaitMs: Number.POSITIVE_INFINITY }).predict(SITE, { signal: stop.signal });
  const reason = new Error('no longer needed');
  proxy.nextRequest().then(() => setTimeout(() => stop.abort(reason), 50));
  await expect(call).rejects.toBe(reason);
  expect(proxy.requests).toBe(1);
});

test('the signal ends a wait, with its reason', async () => {
  proxy.faults = ['busy'];
  proxy.retryAfter = '30';
  const stop = new AbortController();
  const call = clientWith().predict(SITE, { signal: stop.signal });
  const received = proxy.nextRequest();
  const reason = new Error('no longer needed');
  received.then(() => setTimeout(() => stop.abort(reason), 50));
  await expect(call).rejects.toBe(reason);
  expect(proxy.requests).toBe(1);
});

test('a signal that has aborted sends nothing', async () => {
  const reason = new Error('too late');
  await expect(clientWith().predict(SITE, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(proxy.requests).toBe(0);
});

test('a signal that many requests share keeps none of their listeners', async () => {
  const { signal } = new AbortController();
  for (let call = 0; call < 20; call++) {
    proxy.faults = ['busy'];
    await clientWith().usage({ signal });
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
