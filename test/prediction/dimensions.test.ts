import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_HORIZONS, HORIZONS, horizonSet } from '../../src/prediction/dimensions.js';

test('a set of horizons contains exactly the given years, whatever their order and repetitions', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...HORIZONS), { maxLength: 10 }), (years) => {
      const set = horizonSet(years);
      expect(HORIZONS.filter((_, bit) => (set & (1 << bit)) !== 0)).toEqual(
        [...new Set(years)].sort((a, b) => a - b),
      );
    }),
  );
});

test('the set of 1, 3 and 5 years is the set of all horizons', () => {
  expect(horizonSet([5, 1, 3])).toBe(ALL_HORIZONS);
  expect(horizonSet([])).toBe(0);
});
