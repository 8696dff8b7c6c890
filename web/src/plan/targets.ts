import { areaUnit, perHectare } from '../page/format.js';
import type { PlanSettings } from '../state/plan-settings.js';
import type { Unit } from '../state/units.js';

/** Names of columns that hold living trees wanted per area, as files of planting units have them. */
const TARGET =
  /^(tpa|tph|spa|sph|target|target[ _]?(tpa|tph|trees.*|stocking)|(trees?|stems?)[ _/]*(per)?[ _/]*(ac(re)?|ha|hectare)s?)$/i;
const PER_HECTARE = /(tph|sph|ha|hectares?)$/i;
const PER_ACRE = /(tpa|spa|ac|acres?)$/i;

/** The most that the service takes, living trees a hectare. */
export const MAX_TARGET_PER_HA = 100_000;

/** The columns of the units that may hold targets: those with such a name and a number. */
export function targetColumns(units: readonly Unit[]): string[] {
  const names = new Set(units.flatMap(({ attributes }) => Object.keys(attributes)));
  return [...names].filter(
    (name) => TARGET.test(name.trim()) && units.some((unit) => valueIn(unit, name) !== null),
  );
}

/** What the numbers of a column are per: its name says it, else the chosen unit of area. */
export function columnUnit(column: string): 'acre' | 'hectare' {
  if (PER_HECTARE.test(column.trim())) return 'hectare';
  return PER_ACRE.test(column.trim()) ? 'acre' : areaUnit();
}

/**
 * The living trees per hectare that are to be planned for in a unit, reserve included: of its column, else that of
 * all. @returns undefined for none
 */
export function targetOf(
  unit: Unit,
  { targetPerHa, targetColumn, reservePercent }: PlanSettings,
): number | undefined {
  const own = targetColumn === null ? null : valueIn(unit, targetColumn);
  const wanted = own === null ? targetPerHa : perHectare(own, columnUnit(targetColumn ?? ''));
  if (wanted === null) return undefined;
  return Math.min(MAX_TARGET_PER_HA, Number((wanted * (1 + reservePercent / 100)).toFixed(6)));
}

function valueIn({ attributes }: Unit, column: string): number | null {
  const value = Object.hasOwn(attributes, column) ? attributes[column] : null;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && number <= MAX_TARGET_PER_HA ? number : null;
}
