import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tier } from '../../accounts/tiers.js';
import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import { issuesError } from '../request/request-errors.js';
import { planOption, ranked } from './plan-options.js';
import { type PlanOrder, planReaderOf } from './plan-reader.js';
import type { PlanSums, UnitSpecies } from './plan-sums.js';
import { outlineOf, type UnitFeature, type UnitId } from './unit-reader.js';
import { sitesOf, type UnitSites } from './unit-sites.js';

/** Units whose options are sorted and written in one turn of the event loop: a millisecond or two. */
const UNITS_PER_TURN = 25;

/** Predictions that a request may ask for: sites by species and planting methods. */
export const MAX_PREDICTIONS = 200_000;

/** A unit of a plan: where its sites are among those of the plan, or what is wrong with it. */
type PlannedUnit =
  | { readonly id: UnitId; readonly unit: number; readonly error?: undefined }
  | { readonly id: UnitId; readonly error: ErrorObject };

/** A request whose units were read; plain data that can be passed to another thread. */
export interface Plan {
  readonly order: PlanOrder;
  readonly units: readonly PlannedUnit[];
  readonly sites: readonly UnitSites[];
  /** The species of each unit, unit by unit. */
  readonly entries: readonly UnitSpecies[];
}

/** How far the reading of a plan has come; plain data that can be passed to another thread. */
export interface PlanState {
  readonly plan: Plan;
  /** All units were read. */
  readonly isRead: boolean;
}

/** The body is parsed in every step: so many times as long is spent on units, at least. */
const UNITS_SHARE = 2;

/**
 * Reads the body of POST /v1/plan, the outlines of some more of its units and the grid points inside them.
 * @param before how far the reading has come; undefined at the beginning
 * @param stepMs for which units are read
 * @throws ApiError where the request is wrong as a whole
 */
export function readPlan(
  body: Buffer,
  tier: Tier,
  generation: GenerationData,
  before: PlanState | undefined,
  stepMs: number,
): PlanState {
  const startedMs = performance.now();
  const { order, units: features } = planReaderOf(generation).read(body, tier);
  const parsedMs = performance.now();
  const endMs = parsedMs + Math.max(stepMs, UNITS_SHARE * (parsedMs - startedMs));
  const units = [...(before?.plan.units ?? [])];
  const sites = [...(before?.plan.sites ?? [])];
  const entries = [...(before?.plan.entries ?? [])];
  const predictionsOf = ({ unit }: UnitSpecies) => sites[unit].points.length * order.methods.length;
  let predictions = entries.reduce((sum, entry) => sum + predictionsOf(entry), 0);
  while (units.length < features.length) {
    const feature = features[units.length];
    const { id } = feature;
    const outline = outlineOf(feature);
    const found = 'code' in outline ? outline : sitesOf(outline, generation);
    if ('code' in found) units.push({ id, error: found });
    else {
      const unit = sites.push(found) - 1;
      units.push({ id, unit });
      for (const entry of speciesOf(order, unit, found, generation.artefacts.grid.nativeRanges)) {
        entries.push(entry);
        predictions += predictionsOf(entry);
      }
    }
    if (predictions > MAX_PREDICTIONS)
      throw new ApiError(issuesError([tooMany(features, order, units.length)]));
    if (performance.now() > endMs) break;
  }
  return { plan: { order, units, sites, entries }, isRead: units.length === features.length };
}

function tooMany(units: readonly UnitFeature[], { methods }: PlanOrder, read: number) {
  const message =
    `the plan needs more than ${MAX_PREDICTIONS} predictions, which are data points by species and planting methods ` +
    `(the first ${read} of ${units.length} units alone, with ${methods.length === 1 ? 'one method' : 'both methods'}): ` +
    'send fewer units, species or methods in a request';
  return { path: '', message };
}

/** The species to predict for a unit. */
function* speciesOf(
  { species, nativeOnly }: PlanOrder,
  unit: number,
  { points }: UnitSites,
  nativeRanges: Uint32Array,
): Generator<UnitSpecies> {
  for (const index of species) {
    const native = points.reduce((count, point) => count + ((nativeRanges[point] >>> index) & 1), 0);
    const isNative = 2 * native >= points.length;
    if (isNative || !nativeOnly) yield { unit, species: index, isNative };
  }
}

/** The elements of `units` in the answer, as JSON. */
export async function unitElements(
  { order, units, sites, entries }: Plan,
  sums: PlanSums,
  { artefacts }: GenerationData,
): Promise<string[]> {
  const elements: string[] = [];
  let entry = 0;
  for (const [index, planned] of units.entries()) {
    if (index % UNITS_PER_TURN === UNITS_PER_TURN - 1) await nextTurn();
    if (planned.error !== undefined) {
      elements.push(JSON.stringify(planned));
      continue;
    }
    const { id, unit } = planned;
    const options = [];
    for (; entry < entries.length && entries[entry].unit === unit; entry++) {
      const { species, isNative } = entries[entry];
      for (const method of order.methods) {
        const means = sums.means(entry, method);
        options.push(planOption(artefacts.species[species], method, isNative, means, order.costs?.[method]));
      }
    }
    const { areaHa, dataPoints, nearestKm } = sites[unit];
    elements.push(
      JSON.stringify({
        id,
        area_ha: areaHa,
        data_points: dataPoints,
        nearest_km: nearestKm,
        options: ranked(options),
      }),
    );
  }
  return elements;
}
