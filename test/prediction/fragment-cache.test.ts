import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FragmentCache } from '../../src/prediction/fragment-cache.js';
import { fragment } from '../../src/prediction/json-writer.js';

/** What each key stands for: the same always. */
const FRAGMENTS = Array.from({ length: 31 }, (_, key) => fragment('x'.repeat(1 + 60 * key)));

const operations = fc.array(fc.record({ key: fc.nat(30), write: fc.boolean() }), { maxLength: 300 });

describe('the cache of finished predictions', () => {
  test('gives back nothing but what was kept under the key, and keeps no more bytes than it may', () => {
    fc.assert(
      fc.property(operations, fc.integer({ min: 8_000, max: 40_000 }), (steps, maxBytes) => {
        const cache = new FragmentCache(maxBytes);
        const kept = new Set<number>();
        for (const { key, write } of steps) {
          if (write) {
            kept.add(key);
            cache.set(key, FRAGMENTS[key]!);
          } else {
            const found = cache.get(key);
            if (found !== undefined) expect(found).toBe(kept.has(key) ? FRAGMENTS[key] : undefined);
          }
        }
        const held = [...kept].map((key) => cache.get(key)).filter((found) => found !== undefined);
        expect(held.reduce((sum, { words }) => sum + words.byteLength, 0)).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 1000 },
    );
  });

  test('keeps what is used while what is not used goes', () => {
    const cache = new FragmentCache(20_000);
    const used = fragment('used');
    cache.set(0, used);
    for (let key = 1; key < 500; key++) {
      cache.set(key, fragment('y'.repeat(100)));
      expect(cache.get(0)).toBe(used);
    }
    expect(cache.get(1)).toBeUndefined();
  });
});
