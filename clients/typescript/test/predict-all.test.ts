import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { amount } from '../../../test/support/length.js';
import { FOREST_SITE, scatteredSites } from '../../../test/support/requests.js';
import { sharedService } from '../../../test/support/service.js';
import {
  createClient,
  type Progress,
  predictAll,
  predictEach,
  type RetryPolicy,
  type Site,
  type SiteResult,
} from '../src/index.js';
import { FAULTS, startFaultyProxy } from './support/faulty-proxy.js';

/** Sites inside and outside of the coverage, each with a tag. */
const SITES = scatteredSites(500).map((place, tag) => ({
  ...place,
  species_code: 'PSME',
  planting_method: 'manual' as const,
  horizons: [5 as const],
  tag,
}));

const service = await sharedService();
const proxy = await startFaultyProxy(service.apiUrl);
/** The results of one batch of all sites. */
let expected: object[];
beforeAll(async () => {
  const response = await service.post('/v1/predict/batch', { requests: SITES });
  expected = ((await response.json()) as { results: SiteResult[] }).results.map(lasting);
});
afterAll(() => proxy.stop());
beforeEach(() => proxy.reset());

const clientWith = (retry: Partial<RetryPolicy> = {}, apiKey = service.key) =>
  createClient({ url: proxy.url, apiKey, retry: { firstWaitMs: 1, ...retry } });

/** A result without the fields that differ between calls. */
const lasting = (result: SiteResult) => ({ ...result, generated_at: undefined });

/** The tags of the sites of each answered batch. */
const answeredTags = () =>
  proxy.answered.map((body) =>
    (JSON.parse(body) as { requests: { tag: number }[] }).requests.map(({ tag }) => tag),
  );

/** The same items, one by one. */
async function* stream<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) {
    await turn();
    yield item;
  }
}

test('each site has its result, in order, from as few batches as it takes', async () => {
  const results = await predictAll(clientWith(), SITES, { batchSize: 150 });
  expect(results.map(lasting)).toEqual(expected);
  expect(new Set(results.map((result) => 'error' in result))).toEqual(new Set([true, false]));
  expect(
    answeredTags()
      .map(({ length }) => length)
      .toSorted(),
  ).toEqual([150, 150, 150, 50].toSorted());
});

test('whatever fails, each site has its result or an error, in order, and none is answered twice', async () => {
  const cases = fc.record({
    count: fc.integer({ min: 0, max: 60 }),
    isStream: fc.boolean(),
    batchSize: fc.integer({ min: 1, max: 25 }),
    concurrency: fc.integer({ min: 1, max: 5 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    faults: fc.array(fc.constantFrom('none' as const, ...FAULTS), { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, isStream, attempts, faults, ...options }) => {
      proxy.reset();
      proxy.faults = [...faults];
      const sites = SITES.slice(0, count);
      let progress: Progress = { completed: 0, failed: 0 };
      const results = await predictAll(clientWith({ attempts }), isStream ? stream(sites) : sites, {
        ...options,
        onProgress: (now) => {
          expect(now.completed).toBeGreaterThan(progress.completed);
          progress = now;
        },
      });

      expect(results).toHaveLength(count);
      const answered = answeredTags().flat();
      expect(new Set(answered).size).toBe(answered.length);
      for (const [i, result] of results.entries()) {
        const { latitude, longitude } = SITES[i];
        const error = {
          code: expect.stringMatching(/^(connection|overloaded|rate_limit|unexpected|invalid_request)/),
        };
        if (answered.includes(i)) expect(lasting(result)).toEqual(expected[i]);
        else expect(result).toMatchObject({ error, latitude, longitude });
      }
      expect(progress).toEqual({
        completed: count,
        failed: results.filter((result) => 'error' in result).length,
      });
      expect(proxy.requests).toBeLessThanOrEqual(attempts * Math.ceil(count / options.batchSize));
    }),
    { numRuns: amount({ short: 60, long: 2_000 }) },
  );
});

test('each site has its result if fewer requests fail in a row than there are attempts', async () => {
  proxy.faults = SITES.map((_, i) => (i % 7 === 6 ? 'none' : FAULTS[i % 7]));
  const options = { batchSize: 50, concurrency: 1 };
  expect((await predictAll(clientWith({ attempts: 7 }), SITES, options)).map(lasting)).toEqual(expected);
});

test.each([
  ['mycel', 350, 100],
  ['spore', 25, 10],
] as const)('with a key of tier %s, %i sites are sent in batches of %i', async (tier, count, limit) => {
  const client = clientWith({}, (await service.issueKey(tier)).secret);
  const results = await predictAll(client, SITES.slice(0, count));
  expect(results.map(lasting)).toEqual(expected.slice(0, count));
  expect(Math.max(...answeredTags().map(({ length }) => length))).toBe(limit);
  expect(proxy.requests).toBe(1 + Math.ceil(count / limit)); // the first is refused
});

test('batches whose bodies are too large are sent in parts', async () => {
  const notes = 'x'.repeat(10_000);
  const sites = SITES.slice(0, 300).map((site) => ({ ...site, notes })); // 3 MB
  expect((await predictAll(clientWith(), sites)).map(lasting)).toEqual(expected.slice(0, 300));
  expect(
    answeredTags()
      .flat()
      .toSorted((a, b) => a - b),
  ).toEqual(sites.map(({ tag }) => tag));
});

test('a site that is too large by itself fails alone, and later batches are as large as before', async () => {
  const large = { ...SITES[0], notes: 'x'.repeat(2 ** 21) };
  const sites = [...SITES.slice(0, 3), large, ...SITES.slice(4, 12)];
  const results = await predictAll(clientWith(), sites, { batchSize: 4, concurrency: 1 });
  expect(results[3]).toMatchObject({ error: { code: 'payload_too_large' } });
  expect(results.toSpliced(3, 1).map(lasting)).toEqual(expected.slice(0, 12).toSpliced(3, 1));
  expect(answeredTags()).toEqual([[0, 1], [2], [4, 5, 6, 7], [8, 9, 10, 11]]);
});

test('after an error that holds for every batch, the remaining sites get it and are not sent', async () => {
  const results = await predictAll(clientWith({}, 'wrong'), SITES, { batchSize: 10, concurrency: 3 });
  expect(results).toHaveLength(SITES.length);
  expect(results.map((result) => 'error' in result && result.error.code)).toEqual(
    SITES.map(() => 'invalid_api_key'),
  );
  expect(proxy.requests).toBeLessThanOrEqual(3);
});

test('an item that is not a site has an error at its position, with null coordinates, even if its whole batch fails', async () => {
  const sites = [null, SITES[0], undefined, 'here', { ...SITES[1], latitude: '44' }] as Site[];
  const places = [
    { latitude: null, longitude: null },
    { latitude: SITES[0].latitude, longitude: SITES[0].longitude },
    { latitude: null, longitude: null },
    { latitude: null, longitude: null },
    { latitude: null, longitude: SITES[1].longitude },
  ];
  const answered = await predictAll(clientWith(), sites.toSpliced(1, 1));
  expect(answered).toMatchObject(
    places.toSpliced(1, 1).map((place) => ({ error: { code: 'invalid_request' }, ...place })),
  );
  const failed = await predictAll(clientWith({}, 'wrong'), sites);
  expect(failed).toMatchObject(places.map((place) => ({ error: { code: 'invalid_api_key' }, ...place })));
});

test('a BigInt, as databases give integers, is sent as a number, and one that is no coordinate fails alone', async () => {
  const place = { ...SITES[0], latitude: 44, longitude: -122, stand: 17 };
  const fromDatabase = { ...place, latitude: 44n, longitude: -122n, stand: 2n ** 63n };
  const sites = [place, fromDatabase, { ...fromDatabase, latitude: 10n ** 400n }] as Site[];
  const [expected, answer, failed] = await predictAll(clientWith(), sites);
  expect(expected).toHaveProperty('predictions');
  expect(lasting(answer)).toEqual(lasting(expected));
  expect(failed).toMatchObject({ error: { code: 'invalid_request' }, latitude: null });
});

test('as many requests as the concurrency are sent at the same time', async () => {
  await predictAll(clientWith(), SITES, { batchSize: 10, concurrency: 3 });
  expect([2, 3]).toContain(proxy.mostAtOnce);
  proxy.reset();
  await predictAll(clientWith(), SITES, { batchSize: 50, concurrency: 1 });
  expect(proxy.mostAtOnce).toBe(1);
});

test('the signal rejects predictAll with its reason and ends its requests', async () => {
  const stop = new AbortController();
  const reason = new Error('no longer needed');
  const call = predictAll(clientWith(), SITES, {
    batchSize: 10,
    concurrency: 2,
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  });
  await expect(call).rejects.toBe(reason);
  expect(proxy.requests).toBeLessThanOrEqual(3);
});

/** A source that yields the sites and then stays silent. `isEnded` says whether it was asked to end. */
class SilentSource implements AsyncIterableIterator<Site> {
  isEnded = false;
  readonly #sites: Iterator<Site>;

  constructor(sites: readonly Site[]) {
    this.#sites = sites.values();
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next(): Promise<IteratorResult<Site>> {
    const next = this.#sites.next();
    return next.done ? new Promise<never>(() => {}) : next;
  }

  return(): Promise<never> {
    this.isEnded = true;
    return Promise.reject(new Error('the source failed to end'));
  }
}

test('the signal rejects predictAll with its reason while the source of the sites is silent, and ends the source', async () => {
  const stop = new AbortController();
  const reason = new Error('no longer needed');
  const source = new SilentSource(SITES.slice(0, 1));
  const call = predictAll(clientWith(), source, {
    batchSize: 1,
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  });
  await expect(call).rejects.toBe(reason);
  expect(source.isEnded).toBe(true);
  async function* silent(): AsyncGenerator<Site> {
    yield SITES[0];
    await new Promise(() => {});
  }
  const signal = AbortSignal.timeout(20);
  await expect(predictAll(clientWith(), silent(), { signal })).rejects.toThrow(/timeout/);
});

test('predictEach yields the available results while the source of the sites is silent, and its loop can be left', async () => {
  const source = new SilentSource(SITES.slice(0, 3));
  const results: SiteResult[] = [];
  for await (const [, result] of predictEach(clientWith(), source, { batchSize: 1, concurrency: 4 })) {
    results.push(result);
    if (results.length === 3) break;
  }
  expect(results.map(lasting)).toEqual(expected.slice(0, 3));
  expect(source.isEnded).toBe(true);
});

test('predictEach reads no more sites than its requests need, and leaving its loop ends the source', async () => {
  let read = 0;
  let isEnded = false;
  function* endless(): Generator<Site> {
    try {
      for (;;) yield SITES[read++ % SITES.length];
    } finally {
      isEnded = true;
    }
  }
  let taken = 0;
  for await (const [site, result] of predictEach(clientWith(), endless(), {
    batchSize: 10,
    concurrency: 3,
  })) {
    expect(site).toBe(SITES[taken]);
    expect(lasting(result)).toEqual(expected[taken]);
    expect(read).toBeLessThanOrEqual(10 * (Math.floor(taken / 10) + 3));
    if (++taken === 45) break;
  }
  expect(isEnded).toBe(true);
});

test('an error of the source of the sites is thrown to the caller', async () => {
  const failure = new Error('the file ended early');
  async function* broken(): AsyncGenerator<Site> {
    yield* SITES.slice(0, 25);
    throw failure;
  }
  await expect(predictAll(clientWith(), broken(), { batchSize: 10 })).rejects.toBe(failure);
});

test.each([{ batchSize: 0 }, { batchSize: 1.5 }, { concurrency: 0 }, { concurrency: Number.NaN }])(
  '%o is a RangeError',
  async (options) => {
    const site: Site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };
    await expect(predictAll(clientWith(), [site], options)).rejects.toThrow(RangeError);
    expect(proxy.requests).toBe(0);
  },
);
