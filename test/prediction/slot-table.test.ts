import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlotTable } from '../../src/prediction/cache.js';
import { forAll } from '../support/for-all.js';

const CONTENT_WORDS = 3;

/** Few keys, close to each other, so that they recur and share sets. */
const key = fc.record({ first: fc.integer({ min: -5, max: 20 }), second: fc.integer({ min: 0, max: 3 }) });
const operations = fc.array(fc.record({ key, keep: fc.boolean() }), { maxLength: 400 });

test('a slot table returns the content stored last under a key or nothing, and stays within its memory limit', () => {
  forAll({ short: 500, long: 5000 }, [operations, fc.integer({ min: 0, max: 4000 })], (steps, maxBytes) => {
    const table = new SlotTable(maxBytes, CONTENT_WORDS);
    expect(table.words.byteLength).toBeLessThanOrEqual(maxBytes);
    const kept = new Map<string, number>();
    for (const [step, { key, keep }] of steps.entries()) {
      const { first, second } = key;
      const found = table.find(first, second);
      const name = `${first} ${second}`;
      if (found !== -1) {
        expect([...table.words.subarray(found, found + CONTENT_WORDS)]).toEqual(
          Array(CONTENT_WORDS).fill(kept.get(name)),
        );
      } else if (keep && (first !== 0 || second !== 0)) {
        const claimed = table.claim(first, second);
        expect(claimed === -1).toBe(table.words.length === 0);
        if (claimed === -1) continue;
        table.words.fill(step, claimed, claimed + CONTENT_WORDS);
        kept.set(name, step);
        expect(table.find(first, second)).toBe(claimed);
      }
    }
  });
});

test('a slot table a quarter full keeps nearly all of its keys, both whole numbers and places', () => {
  const slots = 80_000;
  const bytes = slots * (2 + CONTENT_WORDS) * 8;
  const wholeNumbers = Array.from({ length: slots / 4 }, (_, i) => [1 + 62 * i, 0] as const);
  // A raster of 200 by 100 places, a thousandth of a degree apart.
  const places = Array.from(
    { length: slots / 4 },
    (_, i) => [-122 + (i % 200) / 1000, 44 + Math.floor(i / 200) / 1000] as const,
  );
  for (const keys of [wholeNumbers, places]) {
    const table = new SlotTable(bytes, CONTENT_WORDS);
    for (const [first, second] of keys) table.claim(first, second);
    const held = keys.filter(([first, second]) => table.find(first, second) !== -1).length;
    // Evenly spread, a set of four gets more than four of them with probability 0.0037 (Poisson, mean 1).
    expect(held / keys.length).toBeGreaterThan(0.99);
  }
});

test('a slot table finds nothing under (0, 0), the key of an empty slot', () => {
  expect(new SlotTable(4000, CONTENT_WORDS).find(0, 0)).toBe(-1);
});
