import { expect, test } from 'vitest';
import { Coalescer } from '../../src/accounts/coalescer.js';

/** A coalescer whose runs the test settles, with the items of each run. */
function heldRuns() {
  const groups: number[][] = [];
  const endings: { resolve(results: number[]): void; reject(error: Error): void }[] = [];
  const coalescer = new Coalescer<number, number>((items) => {
    groups.push(items);
    return new Promise((resolve, reject) => endings.push({ resolve, reject }));
  });
  return { coalescer, groups, endings };
}

test('items that arrive during a run go into the next one together, in order, at most 1,000 of them', async () => {
  const { coalescer, groups, endings } = heldRuns();
  const items = Array.from({ length: 1002 }, (_, index) => index);
  const answers = Promise.all(items.map((item) => coalescer.submit(item)));
  for (let run = 0; run < 3; run++) {
    await expect.poll(() => endings.length).toBe(run + 1);
    endings[run].resolve(groups[run].map((item) => 10 * item));
  }
  expect(await answers).toEqual(items.map((item) => 10 * item));
  expect(groups).toEqual([[0], items.slice(1, 1001), [1001]]);
});

test('a failed run also rejects the items that wait for it, and the next run is not affected', async () => {
  const { coalescer, groups, endings } = heldRuns();
  const answers = Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
  endings[0].reject(new Error('gone'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = coalescer.submit(3);
  endings[1].resolve([30]);
  expect(await next).toBe(30);
  expect(groups).toEqual([[1], [3]]);
});
