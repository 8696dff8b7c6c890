import { areaUnit, perHectare } from '../page/format.js';
import { MAX_TARGET_PER_HA, type PlanSettings } from '../state/plan-settings.js';
import type { Unit } from '../state/units.js';

/** Usual names of columns with the living trees wanted per area. */
const TARGET =
  /^(tpa|tph|spa|sph|target|target[ _]?(tpa|tph|trees.*|stocking)|(trees?|stems?)[ _/]*(per)?[ _/]*(ac(re)?|ha|hectare)s?)$/i;
const PER_HECTARE = /(tph|sph|ha|hectares?)$/i;
const PER_ACRE = /(tpa|spa|ac|acres?)$/i;

/** The columns of the units that may hold targets: those with such a name and a number. */
export function targetColumns(units: readonly Unit[]): string[] {
  const names = new Set(units.flatMap(({ attributes }) => Object.keys(attributes)));
  return [...names].filter(
    (name) => TARGET.test(name.trim()) && units.some((unit) => typeof valueIn(unit, name) === 'number'),
  );
}

/** The unit of area of a column of targets: as its name says, else the chosen one. */
export function columnUnit(column: string): 'acre' | 'hectare' {
  if (PER_HECTARE.test(column.trim())) return 'hectare';
  return PER_ACRE.test(column.trim()) ? 'acre' : areaUnit();
}

/** The units whose target in the column cannot be read; they get no order. */
export const wrongTargets = (units: readonly Unit[], { targetColumn }: PlanSettings) =>
  targetColumn === null ? [] : units.filter((unit) => valueIn(unit, targetColumn) === 'wrong');

/** The unit of area of the targets in the chosen column, as it was when the column was chosen. */
export const targetUnitOf = ({ targetColumn, targetUnit }: PlanSettings) =>
  targetUnit ?? columnUnit(targetColumn ?? '');

/** The units whose target with its reserve is more than the service takes; they get no order. */
export const excessiveTargets = (units: readonly Unit[], settings: PlanSettings) =>
  units.filter((unit) => (wantedIn(unit, settings) ?? 0) > MAX_TARGET_PER_HA);

/**
 * The target of a unit in living trees per hectare, reserve included: that of its column or, if this is blank, that of
 * all units. @returns undefined without a target, for 0, and for one that cannot be read or is too high
 */
export function targetOf(unit: Unit, settings: PlanSettings): number | undefined {
  const wanted = wantedIn(unit, settings);
  return wanted !== undefined && wanted <= MAX_TARGET_PER_HA ? wanted : undefined;
}

function wantedIn(unit: Unit, settings: PlanSettings): number | undefined {
  const { targetPerHa, targetColumn, reservePercent } = settings;
  const own = targetColumn === null ? null : valueIn(unit, targetColumn);
  if (own === 'wrong') return undefined;
  const wanted = own === null ? targetPerHa : perHectare(own, targetUnitOf(settings));
  if (wanted === null || wanted === 0) return undefined;
  return Number((wanted * (1 + reservePercent / 100)).toFixed(6));
}

/** The number in a column of a unit, at least 0; null if it is blank. */
function valueIn({ attributes }: Unit, column: string): number | 'wrong' | null {
  const value = Object.hasOwn(attributes, column) ? attributes[column] : null;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && value.trim() === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= MAX_TARGET_PER_HA ? number : 'wrong';
}
