import type { FailedUnit, PlannedUnit, PlanOption } from '../api/types.js';
import { csvText } from '../files/download.js';
import type { SortKey } from '../state/plan-settings.js';
import type { Unit } from '../state/units.js';

/** One way to plant one unit, as a row of the table and of exports. */
export interface PlanRow extends PlanOption {
  readonly unit: Unit;
  readonly planned: PlannedUnit;
  /** Hand planting costs less per survivor below this cost of a planted tree; undefined without costs. */
  readonly handPaysBelow: number | undefined;
}

const isFailed = (unit: PlannedUnit | FailedUnit): unit is FailedUnit => 'error' in unit;

/**
 * The options of all units. Hand planting costs less per survivor while (cost by hand / survival by hand) is below
 * (cost by drone / survival by drone).
 * @param droneCost of a sown spot; null where unknown
 */
export function rowsOf(
  units: readonly Unit[],
  answers: readonly (PlannedUnit | FailedUnit)[],
  droneCost: number | null,
): PlanRow[] {
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  return answers.flatMap((planned) => {
    const unit = byId.get(String(planned.id));
    if (isFailed(planned) || unit === undefined) return [];
    const mean = (species: string, method: string) =>
      planned.options.find((each) => each.species_code === species && each.planting_method === method)
        ?.survival.mean;
    return planned.options.map((option) => {
      const [byHand, byDrone] = [
        mean(option.species_code, 'manual'),
        mean(option.species_code, 'drone_seeded'),
      ];
      const handPaysBelow =
        droneCost === null || !byHand || !byDrone ? undefined : (droneCost * byHand) / byDrone;
      return { ...option, unit, planned, handPaysBelow };
    });
  });
}

/** A cost per survivor as people read it. @param cost null where none survives; undefined while it is asked for */
export const costText = (cost: number | null | undefined) =>
  cost === undefined ? '…' : cost === null ? 'none survives' : money(cost);

/** In dollars, with more decimals below ten cents: a sown spot may cost less. */
export const money = (amount: number) =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: amount < 0.1 ? 4 : 2 })}`;

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

/** The columns of an export; only units without an option have an error. */
const EXPORT_COLUMNS = [
  'unit',
  'area_ha',
  'data_points',
  'nearest_km',
  'rank',
  'species_code',
  'species',
  'planting_method',
  'in_native_range',
  'survival_mean',
  'survival_low',
  'survival_high',
  'cost_per_survivor',
  'hand_planting_pays_below',
  'error',
] as const;

/** A row of an export. */
function exportRow({
  unit,
  planned,
  survival,
  handPaysBelow,
  ...option
}: PlanRow): Record<Exclude<(typeof EXPORT_COLUMNS)[number], 'error'>, unknown> {
  return {
    unit: unit.name,
    area_ha: planned.area_ha,
    data_points: planned.data_points,
    nearest_km: planned.nearest_km,
    rank: option.rank,
    species_code: option.species_code,
    species: option.species_common_name,
    planting_method: option.planting_method,
    in_native_range: option.in_native_range,
    survival_mean: survival.mean,
    survival_low: survival.low,
    survival_high: survival.high,
    cost_per_survivor: option.cost_per_survivor ?? null,
    hand_planting_pays_below: handPaysBelow === undefined ? null : Number(handPaysBelow.toFixed(4)),
  };
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
 * @param noneLeft the reason of the second
 * @param notAnswered the reason of the third; undefined while they are asked for
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

/** A plan as CSV: all options, then the units without one. */
export const planCsv = (rows: readonly PlanRow[], unplanned: readonly UnplannedUnit[]) =>
  csvText(EXPORT_COLUMNS, [
    ...rows.map(exportRow),
    ...unplanned.map(({ unit, error }) => ({ unit: unit.name, error })),
  ]);

/** All units as GeoJSON, with the properties of their best option, else with the reason why they have none. */
export function geoJsonOf(
  units: readonly Unit[],
  rows: readonly PlanRow[],
  unplanned: readonly UnplannedUnit[],
): string {
  const best = new Map(rows.filter(({ rank }) => rank === 1).map((row) => [row.unit.id, row]));
  const errors = new Map(unplanned.map(({ unit, error }) => [unit.id, error]));
  const features = units.map(({ id, name, geometry }) => {
    const row = best.get(id);
    return {
      type: 'Feature',
      id,
      properties: row === undefined ? { unit: name, error: errors.get(id) } : exportRow(row),
      geometry,
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', features }, null, 1);
}
