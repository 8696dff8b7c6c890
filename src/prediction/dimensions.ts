/** The horizons of a prediction in years, ascending: the order of the models' outputs and of every answer. */
export const HORIZONS = [1, 3, 5] as const;

export type Horizon = (typeof HORIZONS)[number];

/** The set of every horizon, see `horizonSet`. */
export const ALL_HORIZONS = (1 << HORIZONS.length) - 1;

/** A set of horizons as bits: bit i stands for HORIZONS[i]. Repeated years count once. */
export function horizonSet(years: readonly Horizon[]): number {
  let set = 0;
  for (const year of years) set |= 1 << HORIZONS.indexOf(year);
  return set;
}

/** The planting methods, in the order of their code in the columns of a batch and in a comparison. */
export const PLANTING_METHODS = ['manual', 'drone_seeded'] as const;

export type PlantingMethod = (typeof PLANTING_METHODS)[number];

/** Method code of a row that asks for both methods at one site; the codes below it index PLANTING_METHODS. */
export const BOTH_METHODS = PLANTING_METHODS.length;

/** Risk factors reported with each prediction. */
export const RISK_FACTOR_COUNT = 3;
