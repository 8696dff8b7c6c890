import { expect, test } from 'vitest';
import { coalesce } from '../../src/accounts/coalesce.js';

/** A grouped operation whose runs the test settles, with the items of each run. */
function heldRuns() {
  const groups: number[][] = [];
  const endings: { resolve(results: number[]): void; reject(error: Error): void }[] = [];
  const submit = coalesce<number, number>((items) => {
    groups.push(items);
    return new Promise((resolve, reject) => endings.push({ resolve, reject }));
  });
  return { submit, groups, endings };
}

test('items that arrive during a run go into the next one together, in order, at most 1,000 of them', async () => {
  const { submit, groups, endings } = heldRuns();
  const items = Array.from({ length: 1002 }, (_, index) => index);
  const answers = Promise.all(items.map((item) => submit(item)));
  for (let run = 0; run < 3; run++) {
    await expect.poll(() => endings.length).toBe(run + 1);
    endings[run].resolve(groups[run].map((item) => 10 * item));
  }
  expect(await answers).toEqual(items.map((item) => 10 * item));
  expect(groups).toEqual([[0], items.slice(1, 1001), [1001]]);
});

test('a failed run also rejects the items that wait for it, and the next run is not affected', async () => {
  const { submit, groups, endings } = heldRuns();
  const answers = Promise.allSettled([1, 2].map((item) => submit(item)));
  endings[0].reject(new Error('gone'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = submit(3);
  endings[1].resolve([30]);
  expect(await next).toBe(30);
  expect(groups).toEqual([[1], [3]]);
});
