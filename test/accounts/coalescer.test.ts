import { expect, test } from 'vitest';
import { Coalescer } from '../../src/accounts/coalescer.js';

/** A run that a test ends by hand, with the groups it was given. */
function heldRuns() {
  const groups: number[][] = [];
  const endings: { resolve(results: number[]): void; reject(error: Error): void }[] = [];
  const coalescer = new Coalescer<number, number>((items) => {
    groups.push(items);
    return new Promise((resolve, reject) => endings.push({ resolve, reject }));
  }, 3);
  return { coalescer, groups, endings };
}

test('what arrives during a run goes together into the next, in order and up to the maximum', async () => {
  const { coalescer, groups, endings } = heldRuns();
  const answers = Promise.all([1, 2, 3, 4, 5].map((item) => coalescer.submit(item)));
  endings[0].resolve([10]);
  await expect.poll(() => endings.length).toBe(2);
  endings[1].resolve([20, 30, 40]);
  await expect.poll(() => endings.length).toBe(3);
  endings[2].resolve([50]);
  expect(await answers).toEqual([10, 20, 30, 40, 50]);
  expect(groups).toEqual([[1], [2, 3, 4], [5]]);
});

test('a failed run fails all that waited for it, and the next starts anew', async () => {
  const { coalescer, groups, endings } = heldRuns();
  const answers = Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
  endings[0].reject(new Error('gone'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = coalescer.submit(3);
  endings[1].resolve([30]);
  expect(await next).toBe(30);
  expect(groups).toEqual([[1], [3]]);
});
