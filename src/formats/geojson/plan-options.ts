import type { Species } from '../../prediction/artefacts/species.js';
import { PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import { compareText } from '../json/ranking.js';
import type { SurvivalMeans } from './plan-sums.js';

/** A species and a planting method for a unit. */
export interface PlanOption {
  readonly species_code: string;
  readonly species_common_name: string;
  readonly planting_method: PlantingMethod;
  readonly in_native_range: boolean;
  readonly survival: SurvivalMeans;
  /** Null where none survive; absent where the request has no costs. */
  readonly cost_per_survivor?: number | null;
}

const COST_DECIMALS = 4;

/** @param method index into PLANTING_METHODS @param cost of a planted tree or sown spot; undefined where none is given */
export function planOption(
  { species_code, common_name }: Species,
  method: number,
  isNative: boolean,
  survival: SurvivalMeans,
  cost: number | undefined,
): PlanOption {
  return {
    species_code,
    species_common_name: common_name,
    planting_method: PLANTING_METHODS[method],
    in_native_range: isNative,
    survival,
    ...(cost !== undefined && { cost_per_survivor: costPerSurvivor(cost, survival.mean) }),
  };
}

function costPerSurvivor(cost: number, mean: number): number | null {
  return mean === 0 ? null : Number((cost / mean).toFixed(COST_DECIMALS));
}

/**
 * Puts options in their order and numbers them: by cost per survivor where there are costs, those without survivors last,
 * else by survival; ties by species code, then manual first.
 */
export function ranked(options: readonly PlanOption[]): ({ readonly rank: number } & PlanOption)[] {
  const costOf = ({ cost_per_survivor }: PlanOption) => cost_per_survivor ?? Number.POSITIVE_INFINITY;
  const byCost = (a: PlanOption, b: PlanOption) => (costOf(a) === costOf(b) ? 0 : costOf(a) - costOf(b));
  const bySurvival = (a: PlanOption, b: PlanOption) => b.survival.mean - a.survival.mean;
  const methodOf = ({ planting_method }: PlanOption) => PLANTING_METHODS.indexOf(planting_method);
  const hasCosts = options.some(({ cost_per_survivor }) => cost_per_survivor !== undefined);
  const compare = hasCosts ? byCost : bySurvival;
  return options
    .toSorted(
      (a, b) => compare(a, b) || compareText(a.species_code, b.species_code) || methodOf(a) - methodOf(b),
    )
    .map((option, index) => ({ rank: index + 1, ...option }));
}
