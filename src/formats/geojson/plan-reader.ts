import { adjustmentWidth } from '../../prediction/conditions/adjustments.js';
import { HORIZONS, type Horizon, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { type GenerationData, perGeneration } from '../../prediction/per-generation.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { optionWriter, type WriteOptions } from '../request/options.js';
import { speciesOf } from '../request/places.js';
import { parseDocument } from '../request/read-document.js';
import {
  batchTooLarge,
  type Issue,
  invalidRequest,
  isObject,
  issuesError,
  readChoice,
  type TierLimit,
} from '../request/request-errors.js';
import { type PlanRequest, requestSchemas } from '../request/schemas.js';
import { DEFAULT_BASIS, NOT_OF_PLANS, type PlantingBasis } from './plan-schema.js';
import { readFeatures } from './unit-reader.js';

/** The request for a plan without its units; plain data that can be passed to another thread. */
export interface PlanOrder {
  /** Indexes into the species list by code, without repeats, at least one. */
  readonly species: readonly number[];
  /** Indexes into PLANTING_METHODS, ascending, at least one. */
  readonly methods: readonly number[];
  /** Index into HORIZONS. */
  readonly horizon: number;
  readonly nativeOnly: boolean;
  /** By index into PLANTING_METHODS; undefined where the request has no costs. */
  readonly costs: readonly (number | undefined)[] | undefined;
  /** Living trees that are wanted on a hectare at the horizon, and the survival that they are divided by. */
  readonly target: { readonly perHa: number; readonly basis: PlantingBasis } | undefined;
  /** The scenario and conditions of the request, see `conditions/adjustments`; empty where it has none. */
  readonly adjustments: Float64Array;
}

/** What requests are read with: it depends on grid and models. */
const rulesOf = perGeneration(({ artefacts }: GenerationData) => ({
  schema: requestSchemas(artefacts).plan.omit({ units: true }).extend(NOT_OF_PLANS),
  writeOptions: optionWriter(artefacts),
}));

const DEFAULT_HORIZON: Horizon = 5;

const BASIS_ALONE =
  'basis says what target_per_ha is divided by, and target_per_ha is missing: give both, or neither';

const NO_INTERVALS = 'a plan needs intervals, and the models of this service have none';

/**
 * Reads the body of POST /v1/plan up to the ids of its units.
 * @throws ApiError where the request is wrong as a whole
 */
export function readOrder(bytes: Buffer, limit: TierLimit, generation: GenerationData) {
  const { schema, writeOptions } = rulesOf(generation);
  const { manifest } = generation.artefacts;
  const body = parseDocument(bytes);
  const { units, basis, target_per_ha } = Object(body) as Record<string, unknown>;
  const found = readFeatures(units, limit.most);
  const issues: Issue[] = manifest.interval_level === null ? [{ path: '', message: NO_INTERVALS }] : [];
  if (basis !== undefined && target_per_ha === undefined)
    issues.push({ path: 'basis', message: BASIS_ALONE });
  if ('message' in found) issues.push(found);
  const invalid = invalidRequest(schema, body, [...issues, ...missingCosts(Object(body))]);
  if (invalid !== undefined) throw new ApiError(invalid);
  if ('message' in found) throw new ApiError(issuesError(issues));
  if (found.total > limit.most) throw batchTooLarge(`The plan has ${found.total} units`, found.total, limit);
  if (found.issues.length > 0) throw new ApiError(issuesError(found.issues));

  const request = body as PlanRequest;
  const { costs, target_per_ha: perHa, basis: divisor = DEFAULT_BASIS } = request;
  const choice = readChoice(request, speciesOf(generation));
  if ('code' in choice) throw new ApiError(choice);
  const order: PlanOrder = {
    ...choice,
    horizon: HORIZONS.indexOf(request.horizon ?? DEFAULT_HORIZON),
    nativeOnly: request.native_only ?? true,
    costs: costs && PLANTING_METHODS.map((method) => costs[method]),
    target: perHa === undefined ? undefined : { perHa, basis: divisor },
    adjustments: adjustmentsOf(request, writeOptions, adjustmentWidth(manifest)),
  };
  return { order, features: found.features };
}

/** The costs that a body with costs lacks; what else is wrong with its fields the schema says. */
function missingCosts({ costs, planting_methods = PLANTING_METHODS }: Record<string, unknown>): Issue[] {
  if (!isObject(costs) || !Array.isArray(planting_methods)) return [];
  return PLANTING_METHODS.filter(
    (name) => planting_methods.includes(name) && !Object.hasOwn(costs, name),
  ).map((name) => ({
    path: `costs.${name}`,
    message: `costs.${name} is missing: costs are given for every method`,
  }));
}

/** What a valid request states of all its sites. */
function adjustmentsOf({ conditions, scenario }: PlanRequest, writeOptions: WriteOptions, width: number) {
  const row = new SiteRows(1, width);
  if (!writeOptions({ conditions, scenario }, row, 0))
    throw new Error('the options of a valid request were rejected');
  return row.first(1).adjustments;
}
