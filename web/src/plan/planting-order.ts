/** What to plant or sow so that as many trees as wanted are alive. */
export interface Order {
  /** Trees or pods. */
  readonly total: number;
  /** In dollars; undefined without costs. */
  readonly cost: number | undefined;
}

/** The digits that a double always holds: 110 / 0.1 is a little above 1100, which is no reason to order one more. */
const exact = (value: number) => Number(value.toPrecision(15));

/**
 * The order of POST /v1/plan for a target, calculated here so that another target costs no request; null where none survive.
 * @param perHa living trees per hectare
 * @param survival, areaHa as reported, with 4 decimals
 * @param cost of a tree or pod in dollars; undefined without costs
 */
export function plantingOrder(
  perHa: number,
  survival: number,
  areaHa: number,
  cost: number | undefined,
): Order | null {
  if (survival === 0) return null;
  const total = Math.ceil(exact((perHa * Math.round(areaHa * 1e4)) / Math.round(survival * 1e4)));
  return { total, cost: cost === undefined ? undefined : Math.round(exact(total * cost * 100)) / 100 };
}
