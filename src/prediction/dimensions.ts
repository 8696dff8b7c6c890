/** The horizons of a prediction in years, ascending: the order of the models' outputs and of every answer. */
export const HORIZONS = [1, 3, 5] as const;

export type Horizon = (typeof HORIZONS)[number];

/** The set of every horizon: sets are bits, bit i stands for HORIZONS[i]. */
export const ALL_HORIZONS = (1 << HORIZONS.length) - 1;

/** The planting methods, in the order of their codes in SiteRows and of a comparison. */
export const PLANTING_METHODS = ['manual', 'drone_seeded'] as const;

export type PlantingMethod = (typeof PLANTING_METHODS)[number];

/** Method code of a row that asks for both methods at one site; the codes below it index PLANTING_METHODS. */
export const BOTH_METHODS = PLANTING_METHODS.length;

export const RISK_FACTOR_COUNT = 3;

/** What a request may ask for beyond the plain answer. */
export const INCLUDES = ['intervals', 'explanation', 'site'] as const;
