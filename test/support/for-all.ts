import fc from 'fast-check';
import { amount } from './length.js';

type Runs = number | Parameters<typeof amount>[0];
type Several = [unknown, ...unknown[]];
type Arbitraries<Values> = { [Index in keyof Values]: fc.Arbitrary<Values[Index]> };
const options = (runs: Runs) => ({ numRuns: typeof runs === 'number' ? runs : amount(runs) });

/** Checks that a property holds for random values of arbitraries. @param runs how many */
export function forAll<Values extends Several>(
  runs: Runs,
  arbitraries: Arbitraries<Values>,
  holds: (...values: Values) => void,
) {
  fc.assert(fc.property<Values>(...arbitraries, holds), options(runs));
}

/** Does the same as `forAll` for a property that takes time. */
export function forAllAsync<Values extends Several>(
  runs: Runs,
  arbitraries: Arbitraries<Values>,
  holds: (...values: Values) => Promise<void>,
) {
  return fc.assert(fc.asyncProperty<Values>(...arbitraries, holds), options(runs));
}
