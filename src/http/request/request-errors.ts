import type { z } from 'zod';
import type { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { PLANTING_METHODS } from '../../prediction/dimensions.js';
import { type ErrorObject, show } from '../errors/api-error.js';
import type { Misspelling } from './object-fields.js';
import { MAX_LATITUDE, type PredictRequest } from './schemas.js';

/**
 * What is wrong with an entry that cannot be predicted for: the first error in the order of the interface.
 * @param schema the shape of the entry
 * @param entry its fields, as far as messages show them
 * @param placeHint says as a sentence which place was probably meant by a place that cannot be, or ''
 */
export function entryError(
  schema: z.ZodType,
  entry: unknown,
  misspellings: readonly Misspelling[],
  species: SpeciesCatalogue,
  placeHint: (latitude: number, longitude: number) => string,
): ErrorObject {
  const invalid = invalidRequest(schema, entry, misspellings);
  const { latitude, longitude, species_code, planting_method } = Object(entry) as PredictRequest;
  if (invalid !== undefined) {
    const hint = Math.abs(latitude) > MAX_LATITUDE ? placeHint(latitude, longitude) : '';
    return { ...invalid, message: invalid.message + hint };
  }
  return species.indexOf(species_code) === -1
    ? invalidSpecies(species_code, species)
    : invalidMethod(planting_method);
}

function invalidSpecies(code: string, species: SpeciesCatalogue): ErrorObject {
  const closest = species.closest(code);
  const proposal =
    closest === undefined ? '' : ` Did you mean ${closest.species_code} (${closest.common_name})?`;
  return {
    code: 'invalid_species',
    message: `species_code ${show(code)} is not a known species code.${proposal}`,
    details: { suggestion: 'GET /v1/species lists the species codes.' },
  };
}

/** The error of a value that does not have the shape of a schema, with every issue found; undefined where it has. */
export function invalidRequest(
  schema: z.ZodType,
  value: unknown,
  misspellings: readonly Misspelling[] = [],
): ErrorObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `must be a JSON object, not ${show(value)}`;
    return {
      code: 'invalid_request',
      message: `The request ${message}.`,
      details: { issues: [{ path: '', message }] },
    };
  }
  const { error } = schema.safeParse(value);
  const issues = (error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
  for (const { name, option } of misspellings) {
    const message = `${show(name)} is not a field: write ${option}, or rename it if it is a tag of your own`;
    issues.push({ path: name, message });
  }
  if (issues.length === 0) return undefined;
  return {
    code: 'invalid_request',
    message: `The request is not valid: ${issues.map(({ message }) => message).join('; ')}.`,
    details: { issues },
  };
}

function invalidMethod(value: unknown): ErrorObject {
  return {
    code: 'invalid_method',
    message: `planting_method must be ${PLANTING_METHODS.map(show).join(' or ')}, not ${show(value)}.`,
  };
}
