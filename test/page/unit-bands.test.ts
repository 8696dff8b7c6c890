import { expect, test } from 'vitest';
import { bandsOf } from '../../web/src/plan/unit-bands.js';

test('each survival of four decimals belongs to a band of its unit, even at the end of a band', () => {
  const shares = Array.from({ length: 10_001 }, (_, index) => index / 10_000);
  const isHeld = (share: number, step: number) =>
    bandsOf([share], [step]).some(({ from, to }) => share >= from && share < to);
  for (const step of [0.01, 0.02, 0.05, 0.1, 0.25])
    expect(shares.filter((share) => !isHeld(share, step))).toEqual([]);
});
