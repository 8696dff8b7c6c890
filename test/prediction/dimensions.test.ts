import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_HORIZONS, HORIZONS, horizonSet } from '../../src/prediction/dimensions.js';

describe('a set of horizons', () => {
  test('holds exactly the years it was made of, however often and in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HORIZONS), { maxLength: 10 }), (years) => {
        const set = horizonSet(years);
        expect(HORIZONS.filter((_, bit) => (set & (1 << bit)) !== 0)).toEqual(
          [...new Set(years)].sort((a, b) => a - b),
        );
      }),
    );
  });

  test('of 1, 3 and 5 years is the set of all', () => {
    expect(horizonSet([5, 1, 3])).toBe(ALL_HORIZONS);
    expect(horizonSet([])).toBe(0);
  });
});
