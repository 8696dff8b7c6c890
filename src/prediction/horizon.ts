/** The horizons of a prediction in years, ascending: the order of the models' outputs and of every answer. */
export const HORIZONS = [1, 3, 5] as const;

export type Horizon = (typeof HORIZONS)[number];

/** Every horizon, as a set. */
export const ALL_HORIZONS = (1 << HORIZONS.length) - 1;

/** A set of horizons as bits: bit i stands for HORIZONS[i]. Repeats collapse. */
export function horizonSet(years: readonly Horizon[]): number {
  let set = 0;
  for (const year of years) set |= 1 << HORIZONS.indexOf(year);
  return set;
}
