import { TIERS, type Tier } from '../../accounts/tiers.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { adjustmentWidth } from '../../prediction/conditions/adjustments.js';
import {
  HORIZONS,
  type Horizon,
  PLANTING_METHODS,
  type PlantingMethod,
} from '../../prediction/dimensions.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { type GenerationData, perGeneration } from '../../prediction/per-generation.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { OptionWriter, optionRulesOf } from '../request/options.js';
import { parseDocument } from '../request/read-document.js';
import {
  type Issue,
  invalidRequest,
  issuesError,
  unknownMethod,
  unknownSpecies,
} from '../request/request-errors.js';
import { type PlanRequest, requestSchemas } from '../request/schemas.js';
import { NOT_OF_PLANS } from './plan-schema.js';
import { readFeatures, type UnitFeature } from './unit-reader.js';

/** The request for a plan without its units; plain data that can be passed to another thread. */
export interface PlanOrder {
  /** Indexes into the species list, without repeats, at least one. */
  readonly species: readonly number[];
  /** Indexes into PLANTING_METHODS, ascending, at least one. */
  readonly methods: readonly number[];
  /** Index into HORIZONS. */
  readonly horizon: number;
  readonly nativeOnly: boolean;
  /** By index into PLANTING_METHODS; undefined where the request has no costs. */
  readonly costs: readonly (number | undefined)[] | undefined;
  /** The scenario and conditions of the request, see `conditions/adjustments`; empty where it has none. */
  readonly adjustments: Float64Array;
}

const DEFAULT_HORIZON: Horizon = 5;

const NO_INTERVALS = 'a plan needs intervals, and the models of this service have none';

/** Reads the bodies of POST /v1/plan. */
export class PlanReader {
  readonly #species: SpeciesCatalogue;
  readonly #schema;
  readonly #options: OptionWriter;
  readonly #width: number;
  /** The fields that may be absent and are no mistake. */
  readonly #optional: readonly string[];
  readonly #hasIntervals: boolean;

  constructor(artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>) {
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(artefacts.species);
    this.#schema = requestSchemas(rules).plan.omit({ units: true }).extend(NOT_OF_PLANS);
    this.#options = new OptionWriter(rules);
    this.#width = adjustmentWidth(artefacts.manifest);
    this.#hasIntervals = rules.hasIntervals;
    this.#optional = Object.keys(this.#schema.shape).filter((name) => !(name in NOT_OF_PLANS));
  }

  /** @throws ApiError where the body is wrong as a whole */
  read(bytes: Buffer, tier: Tier): { readonly order: PlanOrder; readonly units: readonly UnitFeature[] } {
    const body = parseDocument(bytes);
    const { units } = Object(body) as { readonly units?: unknown };
    const found = readFeatures(units, TIERS[tier].sitesPerBatch);
    const issues: Issue[] = this.#hasIntervals ? [] : [{ path: '', message: NO_INTERVALS }];
    if ('message' in found) issues.push(found);
    const invalid = invalidRequest(this.#schema, body, this.#optional, [
      ...issues,
      ...missingCosts(Object(body)),
    ]);
    if (invalid !== undefined) throw new ApiError(invalid);
    if ('message' in found) throw new ApiError(issuesError(issues));
    checkUnitCount(found.total, tier);
    if (found.issues.length > 0) throw new ApiError(issuesError(found.issues));

    const request = body as PlanRequest;
    const order = {
      species: this.#speciesOf(request),
      methods: methodsOf(request),
      horizon: HORIZONS.indexOf(request.horizon ?? DEFAULT_HORIZON),
      nativeOnly: request.native_only ?? true,
      costs: costsOf(request),
      adjustments: this.#adjustmentsOf(request),
    };
    return { order, units: found.features };
  }

  #speciesOf({ species_codes }: PlanRequest): number[] {
    if (species_codes === undefined) return this.#species.list.map((_, index) => index);
    const codes = species_codes;
    const unknown = codes.find((code) => this.#species.indexOf(code) === -1);
    if (unknown !== undefined) throw new ApiError(unknownSpecies(unknown, this.#species));
    return [...new Set(codes.map((code) => this.#species.indexOf(code)))];
  }

  /** What a valid request states of all its sites. */
  #adjustmentsOf({ conditions, scenario }: PlanRequest): Float64Array {
    const row = new SiteRows(1, this.#width);
    if (!this.#options.write({ conditions, scenario }, row, 0))
      throw new Error('the options of a valid request were rejected');
    return row.first(1).adjustments;
  }
}

/** The reader of a generation. */
export const planReaderOf = perGeneration(({ artefacts }: GenerationData) => new PlanReader(artefacts));

/** @throws ApiError batch_too_large */
function checkUnitCount(submitted: number, tier: Tier): void {
  const limit = TIERS[tier].sitesPerBatch;
  if (submitted <= limit) return;
  throw new ApiError({
    code: 'batch_too_large',
    message: `The plan has ${submitted} units; the ${tier} tier allows ${limit}.`,
    details: { submitted, tier_limit: limit, tier },
  });
}

function methodsOf({ planting_methods }: PlanRequest): number[] {
  const methods = (planting_methods ?? PLANTING_METHODS) as PlantingMethod[];
  const wrong = methods.findIndex((method) => !PLANTING_METHODS.includes(method));
  if (wrong !== -1) throw new ApiError(unknownMethod('each of planting_methods', methods[wrong]));
  return PLANTING_METHODS.flatMap((method, index) => (methods.includes(method) ? [index] : []));
}

/** The costs that a body with costs lacks; what else is wrong with its fields the schema says. */
function missingCosts({ costs, planting_methods = PLANTING_METHODS }: Record<string, unknown>): Issue[] {
  if (typeof costs !== 'object' || costs === null || Array.isArray(costs)) return [];
  if (!Array.isArray(planting_methods)) return [];
  return PLANTING_METHODS.filter(
    (name) => planting_methods.includes(name) && !Object.hasOwn(costs, name),
  ).map((name) => ({
    path: `costs.${name}`,
    message: `costs.${name} is missing: costs are given for every method`,
  }));
}

function costsOf({ costs }: PlanRequest): PlanOrder['costs'] {
  if (costs === undefined) return undefined;
  return PLANTING_METHODS.map((method) => (costs as Partial<Record<PlantingMethod, number>>)[method]);
}
