/** Living trees that are wanted, and the survival that the order is divided by. */
export interface PlantingTarget {
  /** Living trees a hectare at the horizon. */
  readonly perHa: number;
  readonly basis: PlantingBasis;
}

export const PLANTING_BASES = ['mean', 'low'] as const;
export type PlantingBasis = (typeof PLANTING_BASES)[number];

const CENT_DECIMALS = 2;
/** As many as a double always has: the error of a product or quotient is beyond them. */
const EXACT_DIGITS = 15;
const SCALE = 10_000;

/**
 * How many trees or pods to order so that a target is met: whole ones, rounded up from the decimals of survival and area.
 * @param survival with 4 decimals
 * @param areaHa with 4 decimals
 * @param cost of a tree or pod; undefined where the request has none
 * @returns null where none survive
 */
export function plantingOrder(perHa: number, survival: number, areaHa: number, cost: number | undefined) {
  if (survival === 0) return null;
  const tenThousandths = Math.round(survival * SCALE);
  const total = roundUp((perHa * Math.round(areaHa * SCALE)) / tenThousandths);
  return {
    per_ha: roundUp((perHa * SCALE) / tenThousandths),
    total,
    ...(cost !== undefined && { cost: Number((total * cost).toFixed(CENT_DECIMALS)) }),
  };
}

/** 110 / 0.1 is a little above 1100 in doubles: that is no reason to order one more. */
function roundUp(value: number): number {
  return Math.ceil(Number(value.toPrecision(EXACT_DIGITS)));
}
