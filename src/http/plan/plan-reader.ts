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
import { SiteRows } from '../../prediction/site-rows.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { OPEN_OBJECT, valueEnd } from '../request/json.js';
import { ObjectFields } from '../request/object-fields.js';
import { OptionReader } from '../request/option-reader.js';
import { optionRulesOf } from '../request/option-schemas.js';
import { NOT_OF_PLANS } from '../request/plan-schema.js';
import { checkDocumentInSteps } from '../request/read-document.js';
import {
  type Issue,
  invalidRequest,
  issuesError,
  unknownMethod,
  unknownSpecies,
} from '../request/request-errors.js';
import { type PlanRequest, requestSchemas } from '../request/schemas.js';
import { perGeneration } from '../serving/serving.js';
import { shownAt } from './shown-at.js';
import { type UnitFeature, UnitReader } from './unit-reader.js';

/** The request for a plan; the outlines of its units are not read yet. */
export interface PlanOrder {
  readonly units: readonly UnitFeature[];
  readonly reader: UnitReader;
  /** Indexes into the species list, without repeats, at least one. */
  readonly species: readonly number[];
  /** Indexes into PLANTING_METHODS, ascending, at least one. */
  readonly methods: readonly number[];
  /** Index into HORIZONS. */
  readonly horizon: number;
  readonly nativeOnly: boolean;
  /** By index into PLANTING_METHODS; undefined where the request has no costs. */
  readonly costs: readonly (number | undefined)[] | undefined;
  /** One row with the scenario and conditions of the request. */
  readonly adjusted: SiteRows;
}

const DEFAULT_HORIZON: Horizon = 5;

/** The longest text of a field other than `units`. */
const MAX_FIELD_BYTES = 64 * 1024;

const NO_INTERVALS = 'a plan needs intervals, and the models of this service have none';

/** Reads the bodies of POST /v1/plan. */
export class PlanReader {
  readonly #species: SpeciesCatalogue;
  readonly #schema;
  readonly #options: OptionReader;
  readonly #width: number;
  readonly #names: readonly string[];
  /** Those of the names that may be absent and are no mistake. */
  readonly #optional: readonly string[];
  readonly #hasIntervals: boolean;

  constructor(artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>) {
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(artefacts.species);
    this.#schema = requestSchemas(rules).plan.omit({ units: true }).extend(NOT_OF_PLANS);
    this.#options = new OptionReader(rules);
    this.#width = adjustmentWidth(artefacts.manifest);
    this.#hasIntervals = rules.hasIntervals;
    const others = Object.keys(this.#schema.shape);
    this.#names = ['units', ...others];
    this.#optional = others.filter((name) => !(name in NOT_OF_PLANS));
  }

  /** @throws ApiError where the body is wrong as a whole */
  *read(bytes: Buffer, tier: Tier): Generator<undefined, PlanOrder> {
    const ends = new Map<number, number>();
    const root = yield* checkDocumentInSteps(bytes, ends);
    const endOf = (of: Buffer, start: number) => ends.get(start) ?? valueEnd(of, start);
    const fields = new ObjectFields(this.#names, this.#optional);
    if (bytes[root] !== OPEN_OBJECT) throw new ApiError(notObject(bytes, root));
    yield* fields.scanInSteps(bytes, root, endOf);
    const startOf = (name: string) => fields.starts[this.#names.indexOf(name)];
    const reader = new UnitReader(bytes, ends);
    const found = yield* reader.features(startOf('units'), TIERS[tier].sitesPerBatch);

    const issues: Issue[] = this.#hasIntervals ? [] : [{ path: '', message: NO_INTERVALS }];
    if ('message' in found) issues.push(found);
    const body: Record<string, unknown> = {};
    for (const name of this.#names) {
      const start = startOf(name);
      if (start === 0 || name === 'units') continue; // read above
      const end = endOf(bytes, start);
      if (end - start <= MAX_FIELD_BYTES) body[name] = JSON.parse(bytes.toString('utf8', start, end));
      else issues.push({ path: name, message: `${name} must have at most ${MAX_FIELD_BYTES} bytes` });
    }
    const invalid = invalidRequest(this.#schema, body, fields.misspellings(bytes), [
      ...issues,
      ...missingCosts(body),
    ]);
    if (invalid !== undefined || 'message' in found) throw new ApiError(invalid ?? issuesError(issues));
    checkUnitCount(found.total, tier);
    if (found.issues.length > 0) throw new ApiError(issuesError(found.issues));

    const request = body as PlanRequest;
    const species = this.#speciesOf(request);
    const methods = methodsOf(request);
    return {
      units: found.features,
      reader,
      species,
      methods,
      horizon: HORIZONS.indexOf(request.horizon ?? DEFAULT_HORIZON),
      nativeOnly: request.native_only ?? true,
      costs: costsOf(request),
      adjusted: this.#adjustedBy(bytes, startOf('conditions'), startOf('scenario')),
    };
  }

  #speciesOf({ species_codes }: PlanRequest): number[] {
    if (species_codes === undefined) return this.#species.list.map((_, index) => index);
    const codes = species_codes as string[];
    const unknown = codes.find((code) => this.#species.indexOf(code) === -1);
    if (unknown !== undefined) throw new ApiError(unknownSpecies(unknown, this.#species));
    return [...new Set(codes.map((code) => this.#species.indexOf(code)))];
  }

  /** A row with what the request states of all its sites; the options are valid. */
  #adjustedBy(bytes: Buffer, conditions: number, scenario: number): SiteRows {
    const row = new SiteRows(1, this.#width);
    const starts = { elevation: 0, conditions, scenario, include: 0 };
    if (!this.#options.write(bytes, starts, row, 0)) throw new Error('options that fit were not read');
    return row.first(1);
  }
}

/** The reader of a generation. */
export const planReaderOf = perGeneration(({ artefacts }) => new PlanReader(artefacts));

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

/** The error of a body that is no object. */
function notObject(bytes: Buffer, root: number): ErrorObject {
  const message = `must be a JSON object, not ${shownAt(bytes, root)}`;
  return { ...issuesError([{ path: '', message }]), message: `The request ${message}.` };
}
