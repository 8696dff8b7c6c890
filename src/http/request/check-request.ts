import type { z } from 'zod';
import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { ALL_HORIZONS, BOTH_METHODS, horizonSet, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { SiteRows } from '../../prediction/site-rows.js';
import { type ErrorObject, show } from '../errors/api-error.js';
import { perGeneration } from '../serving.js';
import { type CompareRequest, compareRequestSchema, predictRequestSchema } from './schemas.js';

/** What a caller's entry became: a row of the columns, or the first error its checks found. */
export type Checked = { readonly error?: undefined } | { readonly error: ErrorObject };

const FITS: Checked = {};

/** Checks callers' entries in the order of the interface and writes those that fit into columns. */
export class RequestChecker {
  constructor(readonly species: SpeciesCatalogue) {}

  /** Checks an entry of the shape of POST /v1/predict; one that fits becomes row `row` of `rows`. */
  checkPrediction(entry: unknown, rows: SiteRows, row: number): Checked {
    const parsed = predictRequestSchema.safeParse(entry);
    if (!parsed.success) return { error: invalidRequest(entry, parsed.error) };
    const species = this.species.indexOf(parsed.data.species_code);
    if (species === -1) return { error: this.#invalidSpecies(parsed.data.species_code) };
    const method = PLANTING_METHODS.indexOf(parsed.data.planting_method as (typeof PLANTING_METHODS)[number]);
    if (method === -1) return { error: invalidMethod(parsed.data.planting_method) };
    writeRow(rows, row, parsed.data, species, method);
    return FITS;
  }

  /** The same for the shape of POST /v1/predict/compare. */
  checkComparison(entry: unknown, rows: SiteRows, row: number): Checked {
    const parsed = compareRequestSchema.safeParse(entry);
    if (!parsed.success) return { error: invalidRequest(entry, parsed.error) };
    const species = this.species.indexOf(parsed.data.species_code);
    if (species === -1) return { error: this.#invalidSpecies(parsed.data.species_code) };
    writeRow(rows, row, parsed.data, species, BOTH_METHODS);
    return FITS;
  }

  #invalidSpecies(code: string): ErrorObject {
    const closest = this.species.closest(code);
    const proposal =
      closest === undefined ? '' : ` Did you mean ${closest.species_code} (${closest.common_name})?`;
    return {
      code: 'invalid_species',
      message: `species_code ${show(code)} is not a known species code.${proposal}`,
      details: { suggestion: 'GET /v1/species lists the species codes.' },
    };
  }
}

/** The checker of a generation's species. */
export const checkerOf = perGeneration(
  ({ artefacts }) => new RequestChecker(new SpeciesCatalogue(artefacts.species)),
);

function writeRow(
  rows: SiteRows,
  row: number,
  { latitude, longitude, horizons }: CompareRequest,
  species: number,
  method: number,
): void {
  rows.latitude[row] = latitude;
  rows.longitude[row] = longitude;
  rows.species[row] = species;
  rows.method[row] = method;
  rows.horizons[row] = horizons === undefined ? ALL_HORIZONS : horizonSet(horizons);
}

/** The error of a value that has not the shape a schema asks for, with every issue found. */
export function invalidRequest(value: unknown, { issues }: z.ZodError): ErrorObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `must be a JSON object, not ${show(value)}`;
    return {
      code: 'invalid_request',
      message: `The request ${message}.`,
      details: { issues: [{ path: '', message }] },
    };
  }
  const found = issues.map(({ path, message }) => ({ path: pathText(path), message }));
  return {
    code: 'invalid_request',
    message: `The request is not valid: ${found.map(({ message }) => message).join('; ')}.`,
    details: { issues: found },
  };
}

function invalidMethod(value: unknown): ErrorObject {
  return {
    code: 'invalid_method',
    message: `planting_method must be ${PLANTING_METHODS.map(show).join(' or ')}, not ${show(value)}.`,
  };
}

/** `horizons[1]` of ['horizons', 1]. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
