import { expect, test } from 'vitest';
import { KeyConcurrency, MemoryBudget } from '../../src/work/admission.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';

const LIMIT_BYTES = 1000;

test('keys stay within the memory limit in any order of requests, and the first request of a key is accepted if it fits', () => {
  const random = seededRandom(15);
  const budget = new MemoryBudget(LIMIT_BYTES);
  const open: { key: string; bytes: number }[] = [];
  const takenBy = (key?: string) =>
    open.reduce((sum, taken) => sum + (key === undefined || taken.key === key ? taken.bytes : 0), 0);
  let refused = 0;
  for (let step = 0; step < amount({ short: 20_000, long: 1_000_000 }); step++) {
    if (random() < 0.4 && open.length > 0) {
      const [{ key, bytes }] = open.splice(Math.floor(random() * open.length), 1);
      budget.release(key, bytes);
      continue;
    }
    const key = `key ${Math.floor(random() * 4)}`;
    const bytes = 1 + Math.floor(random() * 200);
    const isFirst = takenBy(key) === 0;
    const free = LIMIT_BYTES - takenBy();
    const isTaken = budget.take(key, bytes);
    if (isTaken) open.push({ key, bytes });
    else refused++;
    if (isFirst) expect(isTaken).toBe(bytes <= free);
    expect(takenBy()).toBeLessThanOrEqual(LIMIT_BYTES);
  }
  expect(refused).toBeGreaterThan(100);
});

test.each([1, 10, 30, 100, 250])(
  'a single key gets half of the memory and at most one request of %d bytes more, and another key still gets one',
  (bytes) => {
    const budget = new MemoryBudget(LIMIT_BYTES);
    let taken = 0;
    while (budget.take('greedy', bytes)) taken += bytes;
    expect(Math.abs(taken - LIMIT_BYTES / 2)).toBeLessThanOrEqual(bytes);
    expect(budget.take('other', bytes)).toBe(true);
  },
);

test('one request is always accepted, even if it is larger than the limit', () => {
  const budget = new MemoryBudget(LIMIT_BYTES);
  expect(budget.take('a', 2 * LIMIT_BYTES)).toBe(true);
  expect(budget.take('b', 1)).toBe(false);
  budget.release('a', 2 * LIMIT_BYTES);
  expect(budget.take('b', 2 * LIMIT_BYTES)).toBe(true);
});

const LATER = performance.now() + 600_000;

/** Requests that end together. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('the requests of a key run two at a time, in the order of arrival; the 21st is refused', async () => {
  const turns = new KeyConcurrency(20_000);
  const { opened, open } = gate();
  const begun: number[] = [];
  let atWork = 0;
  let mostAtWork = 0;
  const runs = Array.from({ length: 20 }, (_, request) =>
    turns.run('a key', LATER, async () => {
      begun.push(request);
      mostAtWork = Math.max(mostAtWork, ++atWork);
      await opened;
      atWork--;
      return request;
    }),
  );
  expect(turns.wouldReject('a key')).toBe(true);
  const other = await turns.run('another key', LATER, async () => 'done');
  expect(other).toBe('done');
  open();
  const requests = Array.from({ length: 20 }, (_, request) => request);
  expect(await Promise.all(runs)).toEqual(requests);
  expect(mostAtWork).toBe(2);
  expect(begun).toEqual(requests);
  expect(turns.wouldReject('a key')).toBe(false);
});

test('a request whose deadline has passed when its turn comes is timed out and never begun', async () => {
  const turns = new KeyConcurrency(20_000);
  const { opened, open } = gate();
  const working = [1, 2].map(() => turns.run('a key', LATER, () => opened));
  let begun = 0;
  const waiting = turns.run('a key', performance.now(), async () => begun++);
  open();
  await expect(waiting).rejects.toMatchObject({ kind: 'timed-out' });
  await Promise.all(working);
  expect(await turns.run('a key', LATER, async () => 'next')).toBe('next');
  expect(begun).toBe(0);
});

test('failed work frees its turn', async () => {
  const turns = new KeyConcurrency(20_000);
  const failing = Array.from({ length: 20 }, () =>
    turns.run('a key', LATER, () => Promise.reject(new Error('failed'))),
  );
  for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
  expect(turns.wouldReject('a key')).toBe(false);
});
