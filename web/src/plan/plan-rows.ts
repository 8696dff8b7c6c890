import type { FailedUnit, PlannedUnit, PlanOption } from '../api/types.js';
import { bothCosts, type PlanSettings, type RankBy, type SortKey } from '../state/plan-settings.js';
import type { Unit } from '../state/units.js';
import { type Order, plantingOrder } from './planting-order.js';
import { targetOf } from './targets.js';

/** One way to plant one unit, as a row of the table and of exports. */
export interface PlanRow extends Omit<PlanOption, 'order'> {
  /** undefined without a target; null where the survival or low end that divides it is 0. */
  readonly order: Order | null | undefined;
  readonly unit: Unit;
  /** The number of the unit in lists and on the printed map, from 1. */
  readonly number: number;
  readonly planned: PlannedUnit;
  /** Hand planting costs less per survivor below this cost of a planted tree; undefined without costs. */
  readonly handPaysBelow: number | undefined;
  /** Survival by the same species and method in today's climate; undefined unless it is compared and answered. */
  readonly survivalToday: number | undefined;
  /** Whether the low end of the interval is below the planner's threshold. */
  readonly isUnsure: boolean;
}

const isFailed = (unit: PlannedUnit | FailedUnit): unit is FailedUnit => 'error' in unit;

/**
 * The options of all units, ranked as the planner wants them. Hand planting costs less per survivor while (cost by
 * hand / survival by hand) is below (cost by drone / survival by drone).
 * @param answersToday the answers for today's climate, where it is compared
 */
export function rowsOf(
  units: readonly Unit[],
  answers: readonly (PlannedUnit | FailedUnit)[],
  answersToday: readonly (PlannedUnit | FailedUnit)[],
  settings: PlanSettings,
): PlanRow[] {
  const { costs, rankBy, threshold, basis } = settings;
  const both = bothCosts(settings);
  const places = new Map(units.map((unit, index) => [unit.id, { unit, number: index + 1 }]));
  const today = new Map(answersToday.map((answer) => [answer.id, answer]));
  return answers.flatMap((planned) => {
    const place = places.get(String(planned.id));
    if (isFailed(planned) || place === undefined) return [];
    const mean = (species: string, method: string, answer = planned) =>
      answer.options.find((each) => each.species_code === species && each.planting_method === method)
        ?.survival.mean;
    const plannedToday = today.get(planned.id);
    const target = targetOf(place.unit, settings);
    return ranked(planned.options, rankBy).map((option) => {
      const [byHand, byDrone] = [
        mean(option.species_code, 'manual'),
        mean(option.species_code, 'drone_seeded'),
      ];
      const handPaysBelow =
        costs.drone_seeded === null || !byHand || !byDrone
          ? undefined
          : (costs.drone_seeded * byHand) / byDrone;
      const survivalToday =
        plannedToday === undefined || isFailed(plannedToday)
          ? undefined
          : mean(option.species_code, option.planting_method, plannedToday);
      const isUnsure = option.survival.low < threshold;
      const cost = both?.[option.planting_method];
      const order =
        target === undefined
          ? undefined
          : plantingOrder(target, option.survival[basis], planned.area_ha, cost);
      return { ...option, ...place, order, planned, handPaysBelow, survivalToday, isUnsure };
    });
  });
}

/** Whether rows have survival in today's climate, too. */
export const areCompared = (rows: readonly PlanRow[]) =>
  rows.some(({ survivalToday }) => survivalToday !== undefined);

/** Options in the planner's ranking. Ties keep the order of the service, which ranks by cost if there are costs. */
function ranked(options: readonly PlanOption[], rankBy: RankBy): PlanOption[] {
  if (rankBy === 'cost') return [...options];
  const value = ({ survival }: PlanOption) => (rankBy === 'safest' ? survival.low : survival.mean);
  return options
    .toSorted((a, b) => value(b) - value(a) || a.rank - b.rank)
    .map((option, index) => ({ ...option, rank: index + 1 }));
}

/** The order of one species by one method for all units whose best option it is. */
export interface OrderLine {
  readonly species: string;
  readonly method: PlanOption['planting_method'];
  readonly units: number;
  readonly areaHa: number;
  /** Trees or pods. */
  readonly total: number;
  /** In dollars; undefined without costs. */
  readonly cost: number | undefined;
}

/** What to order for the best option of each unit, by species and method, most first; empty without a target. */
export function orderLines(rows: readonly PlanRow[]): OrderLine[] {
  const lines = new Map<string, OrderLine>();
  for (const { rank, order, planned, ...row } of rows) {
    if (rank !== 1 || !order) continue;
    const key = `${row.species_code} ${row.planting_method}`;
    const before = lines.get(key);
    lines.set(key, {
      species: row.species_common_name,
      method: row.planting_method,
      units: (before?.units ?? 0) + 1,
      areaHa: (before?.areaHa ?? 0) + planned.area_ha,
      total: (before?.total ?? 0) + order.total,
      cost: order.cost === undefined ? undefined : (before?.cost ?? 0) + order.cost,
    });
  }
  return [...lines.values()].sort((a, b) => b.total - a.total);
}

/** The units without an order because the survival of their best option, or its low end, is 0. */
export const unitsWithoutOrder = (rows: readonly PlanRow[]) =>
  rows.filter(({ rank, order }) => rank === 1 && order === null).map(({ unit }) => unit);

const VALUE_OF: Readonly<Record<SortKey, (row: PlanRow) => string | number>> = {
  unit: ({ unit }) => unit.name,
  rank: ({ rank }) => rank,
  species: (row) => row.species_common_name,
  survival: ({ survival }) => -survival.mean,
  cost: (row) => row.cost_per_survivor ?? Number.POSITIVE_INFINITY,
};

/** The rows in another order; equal ones keep theirs. */
export function sortRows(rows: readonly PlanRow[], by: SortKey, isReversed: boolean): PlanRow[] {
  const sortValue = VALUE_OF[by];
  const compare = (a: PlanRow, b: PlanRow) => {
    const [first, second] = [sortValue(a), sortValue(b)];
    if (typeof first === 'string') return first.localeCompare(String(second), 'en', { numeric: true });
    return first === second ? 0 : first - Number(second);
  };
  return rows.toSorted((a, b) => (isReversed ? compare(b, a) : compare(a, b)));
}

/** A unit without an option. */
export interface UnplannedUnit {
  readonly unit: Unit;
  readonly kind: 'refused' | 'none-left' | 'not-answered';
  /** Why it has none. */
  readonly error: string;
}

/**
 * The units that failed, those for which no species is left, and those that were not answered.
 * @param noneLeft the reason of units for which no species is left
 * @param notAnswered the reason of units that were not answered; undefined while they are loading
 */
export function unplannedOf(
  units: readonly Unit[],
  answers: readonly (PlannedUnit | FailedUnit)[],
  noneLeft: string,
  notAnswered: string | undefined,
): UnplannedUnit[] {
  const byId = new Map(answers.map((answer) => [String(answer.id), answer]));
  return units.flatMap((unit): UnplannedUnit[] => {
    const answer = byId.get(unit.id);
    if (answer === undefined)
      return notAnswered === undefined ? [] : [{ unit, kind: 'not-answered', error: notAnswered }];
    if (isFailed(answer)) return [{ unit, kind: 'refused', error: answer.error.message }];
    return answer.options.length === 0 ? [{ unit, kind: 'none-left', error: noneLeft }] : [];
  });
}
