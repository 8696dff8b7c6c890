import type { ServedModel } from '../api/types.js';
import { acres, dateText } from '../page/format.js';
import { scopeText } from '../page/species-sets.js';
import type { PlanRow, UnplannedUnit } from '../plan/plan-rows.js';
import { targetOf, targetUnitOf } from '../plan/targets.js';
import type { ModelOrigin } from '../state/catalogues.js';
import type { Assumptions } from '../state/choices.js';
import type { PlanSettings } from '../state/plan-settings.js';
import type { Unit } from '../state/units.js';

/** A plan to export: the answer, and everything that was asked for. */
export interface PlanExport {
  readonly units: readonly Unit[];
  readonly rows: readonly PlanRow[];
  readonly unplanned: readonly UnplannedUnit[];
  readonly horizon: number;
  readonly assumed: Assumptions;
  readonly settings: PlanSettings;
  /** undefined if it is not known; then there are no rows. */
  readonly model: ServedModel | undefined;
}

export type Value = string | number | boolean | null;
/** Values by column, in the order of the columns. */
export type ExportRow = Readonly<Record<string, Value>>;

/** All columns that exports add. Attributes of files with such a name are renamed, even in rows without the column. */
const OUR_COLUMNS = [
  'unit',
  'unit_number',
  'error',
  'area_ha',
  'area_acres',
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
  'survival_p10',
  'survival_p90',
  'survival_today',
  'unsure',
  'cost_per_survivor',
  'hand_planting_pays_below',
  'target_per_ha_with_reserve',
  'target_per_acre_with_reserve',
  'order_per_ha',
  'order_per_acre',
  'order_total',
  'order_cost',
  'date',
  'horizon_years',
  'warming_c',
  'precipitation_change_percent',
  'vegetation_control',
  'overstory_cover',
  'seeds_per_spot',
  'species_asked',
  'ranked_by',
  'unsure_below',
  'cost_manual',
  'cost_drone_seeded',
  'target_column',
  'target_column_per',
  'order_basis',
  'order_reserve_percent',
  'model_version',
  'model_digest',
  'outcomes',
  'caution',
] as const;
const OURS: ReadonlySet<string> = new Set(OUR_COLUMNS);

/** A row of ours: the compiler rejects a column that is not listed. */
type OurRow = Readonly<Partial<Record<(typeof OUR_COLUMNS)[number], Value>>>;

/** The name of a file for a plan: plan-2026-11-25-5y-plus2C.csv. */
export function fileName({ horizon, assumed }: PlanExport, extension: string): string {
  const sign = (value: number) => `${value < 0 ? 'minus' : 'plus'}${Math.abs(value)}`;
  const { warming_c, precipitation_change_percent } = assumed;
  return [
    'plan',
    dateText(),
    `${horizon}y`,
    ...(warming_c === undefined ? [] : [`${sign(warming_c)}C`]),
    ...(precipitation_change_percent === undefined ? [] : [`${sign(precipitation_change_percent)}pct-rain`]),
  ]
    .join('-')
    .concat('.', extension);
}

/** The date, horizon, climate and practice of figures, as columns. */
export const assumedColumns = (date: string, horizon: number, assumed: Assumptions) => ({
  date,
  horizon_years: horizon,
  warming_c: 0,
  precipitation_change_percent: 0,
  ...assumed,
});

/** The models behind figures, as columns. */
export const modelColumns = ({ version, digest, outcomes, caution }: ModelOrigin) => ({
  model_version: version,
  model_digest: digest,
  outcomes,
  caution,
});

/** The settings of a plan and the models that answered it, as columns. */
export function aboutRow({ horizon, assumed, settings, model }: PlanExport) {
  const { costs, targetPerHa, targetColumn, basis, reservePercent, rankBy, threshold } = settings;
  const hasTarget = targetPerHa !== null || targetColumn !== null;
  return {
    ...assumedColumns(dateText(), horizon, assumed),
    species_asked: scopeText(settings),
    ranked_by: rankBy,
    unsure_below: threshold,
    cost_manual: costs.manual,
    cost_drone_seeded: costs.drone_seeded,
    target_column: targetColumn,
    target_column_per: targetColumn === null ? null : targetUnitOf(settings),
    order_basis: hasTarget ? basis : null,
    order_reserve_percent: hasTarget ? reservePercent : null,
    ...(model && modelColumns(model)),
  } satisfies OurRow;
}

/** The order of an option: trees or pods. Figures per area come from the total, not from rounded figures. */
function orderColumns({ order, planned, unit }: PlanRow, settings: PlanSettings): OurRow {
  const target = targetOf(unit, settings);
  if (target === undefined) return {};
  const perArea = (area: number) => (order && area > 0 ? Number((order.total / area).toFixed(1)) : null);
  return {
    target_per_ha_with_reserve: Number(target.toFixed(1)),
    target_per_acre_with_reserve: Number((target / acres(1)).toFixed(1)),
    order_per_ha: perArea(planned.area_ha),
    order_per_acre: perArea(acres(planned.area_ha)),
    order_total: order?.total ?? null,
    order_cost: order?.cost ?? null,
  };
}

/** An option of a unit as a row, with the settings of the plan and the attributes of the unit's file. */
function optionRow(plan: PlanExport, row: PlanRow, names: Names): ExportRow {
  const { unit, planned, survival, handPaysBelow } = row;
  const own = {
    unit: unit.name,
    unit_number: row.number,
    area_ha: planned.area_ha,
    area_acres: Number(acres(planned.area_ha).toFixed(4)),
    data_points: planned.data_points,
    nearest_km: planned.nearest_km,
    rank: row.rank,
    species_code: row.species_code,
    species: row.species_common_name,
    planting_method: row.planting_method,
    in_native_range: row.in_native_range,
    survival_mean: survival.mean,
    survival_low: survival.low,
    survival_high: survival.high,
    survival_p10: survival.p10,
    survival_p90: survival.p90,
    ...(plan.settings.comparesToday && { survival_today: row.survivalToday ?? null }),
    unsure: row.isUnsure,
    cost_per_survivor: row.cost_per_survivor ?? null,
    hand_planting_pays_below: handPaysBelow === undefined ? null : Number(handPaysBelow.toFixed(4)),
    ...orderColumns(row, plan.settings),
    ...aboutRow(plan),
  } satisfies OurRow;
  return { ...own, ...renamedAttributes(names, unit) };
}

/** A unit without an option as a row. */
function unplannedRow(plan: PlanExport, { unit, error }: UnplannedUnit, names: Names): ExportRow {
  const own = { unit: unit.name, error, ...aboutRow(plan) } satisfies OurRow;
  return { ...own, ...renamedAttributes(names, unit) };
}

/**
 * New names for the columns of a file, by their old names: those of our columns get `file_` in front, repeated until no
 * other column has the name. Case makes no difference, as in GeoPackage and other databases.
 * @param isOurs asked for names in lower case
 */
export function withoutOurNames(columns: readonly string[], isOurs: (column: string) => boolean): Names {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  return new Map(
    columns.map((column) => {
      let name = column;
      while (isOurs(column.toLowerCase()) && taken.has(name.toLowerCase())) name = `file_${name}`;
      taken.add(name.toLowerCase());
      return [column, name] as const;
    }),
  );
}

type Names = ReadonlyMap<string, string>;

/** New names for the attributes of all units of a plan, by their old names. */
const attributeNames = ({ units, assumed }: PlanExport) =>
  withoutOurNames(
    [...new Set(units.flatMap(({ attributes }) => Object.keys(attributes)))],
    (name) => OURS.has(name) || Object.hasOwn(assumed, name),
  );

const renamedAttributes = (names: Names, { attributes }: Unit): ExportRow =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [names.get(name) ?? name, value]));

/** A row for each unit: its best option, else the reason why it has none. */
export function bestRows(plan: PlanExport): { readonly unit: Unit; readonly row: ExportRow }[] {
  const best = new Map(plan.rows.filter(({ rank }) => rank === 1).map((row) => [row.unit.id, row]));
  const missing = new Map(plan.unplanned.map((each) => [each.unit.id, each]));
  const names = attributeNames(plan);
  return plan.units.map((unit) => {
    const row = best.get(unit.id);
    const none = missing.get(unit.id) ?? { unit, kind: 'not-answered', error: 'Not planned yet.' };
    return { unit, row: row === undefined ? unplannedRow(plan, none, names) : optionRow(plan, row, names) };
  });
}

/** A row for each option of each unit, then the units without one. */
export function allRows(plan: PlanExport): ExportRow[] {
  const names = attributeNames(plan);
  return [
    ...plan.rows.map((row) => optionRow(plan, row, names)),
    ...plan.unplanned.map((each) => unplannedRow(plan, each, names)),
  ];
}

/** The columns of all rows, in the order of their first appearance. */
export const columnsOf = (rows: readonly ExportRow[]) => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];
