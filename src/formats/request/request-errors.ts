import type { z } from 'zod';
import { valueAt } from '../../prediction/artefacts/shared-grid.js';
import type { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { PLANTING_METHODS } from '../../prediction/dimensions.js';
import { nearestDataOf, type PredictorData } from '../../prediction/predictor-data.js';
import { DISTANCE_DECIMALS } from '../../prediction/row-record.js';
import { MAX_RISE_M } from '../../prediction/site-features.js';
import { OWN_ELEVATION, ROW_STATUS, type SiteRows } from '../../prediction/site-rows.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { show, shownPath } from '../errors/shown-value.js';
import { placeHint, speciesOf } from './places.js';
import { MAX_LATITUDE, optionalNames, type PredictRequest } from './schemas.js';

/** What is wrong with an invalid entry: the first error in the order of the interface. */
export function entryError(data: PredictorData, schema: z.ZodObject, entry: unknown): ErrorObject {
  const invalid = siteShapeError(data, schema, entry);
  if (invalid !== undefined) return invalid;
  const { species_code, planting_method } = Object(entry) as PredictRequest;
  const species = speciesOf(data);
  return species.indexOf(species_code) === -1
    ? unknownSpecies(species_code, species)
    : unknownMethod('planting_method', planting_method);
}

/** The error of a request for a site that does not have the shape of its schema; undefined if it has. */
export function siteShapeError(
  data: PredictorData,
  schema: z.ZodObject,
  request: unknown,
): ErrorObject | undefined {
  const invalid = schemaError(schema, request);
  const { latitude, longitude } = Object(request) as PredictRequest;
  const isTooFar =
    typeof latitude === 'number' && typeof longitude === 'number' && Math.abs(latitude) > MAX_LATITUDE;
  if (invalid === undefined || !isTooFar) return invalid;
  return { ...invalid, message: invalid.message + placeHint(data, latitude, longitude) };
}

export function unknownSpecies(code: string, species: SpeciesCatalogue): ErrorObject {
  const closest = species.closest(code);
  const proposal =
    closest === undefined ? '' : ` Did you mean ${closest.species_code} (${closest.common_name})?`;
  return {
    code: 'invalid_species',
    message: `species_code ${show(code)} is not a known species code.${proposal}`,
    details: { suggestion: 'GET /v1/species lists the species codes.' },
  };
}

/** The error of a value that is not a planting method. @param what names it in the message */
export function unknownMethod(what: string, value: unknown): ErrorObject {
  return {
    code: 'invalid_method',
    message: `${what} must be ${PLANTING_METHODS.map(show).join(' or ')}, not ${show(value)}.`,
  };
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The most sites or units that a request of a tier may have. */
export interface TierLimit {
  readonly tier: string;
  readonly max: number;
}

/** @param what the request has, such as "The plan has 3 units" */
export function batchTooLarge(what: string, submitted: number, { tier, max }: TierLimit): ApiError {
  return new ApiError({
    code: 'batch_too_large',
    message: `${what}; the ${tier} tier allows ${max}.`,
    details: { submitted, tier_limit: max, tier },
  });
}

/**
 * The error of a value that does not have the shape of a schema or misspells an optional field, with every issue found;
 * undefined where there is none.
 * @param others issues that were found elsewhere
 */
export function schemaError(
  schema: z.ZodObject,
  value: unknown,
  others: readonly Issue[] = [],
): ErrorObject | undefined {
  if (!isObject(value)) return notAnObject(value);
  const { error } = schema.safeParse(value);
  const found = (error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
  const issues = [...others, ...found];
  const optional = optionalNames(schema);
  const nearest = new Map<string, string>(); // the last of several names
  for (const name in value) {
    const field = optionalFieldNear(name, optional);
    if (field !== undefined && !Object.hasOwn(value, field)) nearest.set(field, name);
  }
  for (const [field, name] of nearest) {
    const message = `${show(name)} is not a field: write ${field}, or rename it if it is a tag of your own`;
    issues.push({ path: name, message });
  }
  return issues.length === 0 ? undefined : issuesError(issues);
}

export function notAnObject(value: unknown): ErrorObject {
  return issuesError([{ path: '', message: `it must be a JSON object, not ${show(value)}` }]);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error of a request, or of a part of it, with issues, at least one. */
export function issuesError(issues: readonly Issue[], what = 'request'): ErrorObject {
  return {
    code: 'invalid_request',
    message: `The ${what} is not valid: ${issues.map(({ message }) => message).join('; ')}.`,
    details: { issues: issues.map(({ path, message }) => ({ path: shownPath(path), message })) },
  };
}

/** The same as an exception, with one issue. @param message what is wrong and what would be right, without a full stop */
export function issueError(path: string, message: string, what?: string): ApiError {
  return new ApiError(issuesError([{ path, message }], what));
}

/** The error of a row without an answer. @param what precedes the place in the message if it is not the caller's own */
export function placeError(
  status: number,
  rows: SiteRows,
  row: number,
  data: PredictorData,
  what = '',
): ErrorObject {
  const [latitude, longitude] = [rows.latitude[row], rows.longitude[row]];
  const place = `${what}latitude ${latitude}, longitude ${longitude}`;
  if (status === ROW_STATUS.outsideCoverage) {
    const regions = data.regions.map(({ name }) => name).join(' and ');
    return {
      code: 'outside_coverage',
      message: `${place} is outside the coverage, which is ${regions}.${placeHint(data, latitude, longitude)}`,
      details: { suggestion: 'GET /v1/coverage lists the regions and their bounds.' },
    };
  }
  const { searchRadiusKm } = data;
  const { index, columns } = data.grid;
  const nearest = nearestDataOf(data);
  const point = nearest.findAnywhere(longitude, latitude);
  const distanceKm = Number(nearest.distanceKm.toFixed(DISTANCE_DECIMALS));
  if (status === ROW_STATUS.elevationMismatch)
    return elevationMismatch(
      rows.adjustments[row * rows.width + OWN_ELEVATION],
      valueAt(columns.elevation, point),
    );
  return {
    code: 'no_nearby_data',
    message:
      `No data point lies within ${searchRadiusKm} km of ${place}: the nearest is ${distanceKm} km away. ` +
      'The data cover forest land, not urban, agricultural or water areas.',
    details: {
      search_radius_km: searchRadiusKm,
      nearest: {
        latitude: index.latitudes[index.row[point]],
        longitude: index.longitudes[index.column[point]],
        distance_km: distanceKm,
      },
    },
  };
}

const METRES_PER_FOOT = 0.3048;

function elevationMismatch(elevationM: number, matchedM: number): ErrorObject {
  const fromFeet = Math.round(elevationM * METRES_PER_FOOT);
  const isNearer = Math.abs(fromFeet - matchedM) < Math.abs(elevationM - matchedM);
  const hint = isNearer ? ` Was it in feet? ${elevationM} ft are ${fromFeet} m.` : '';
  return {
    code: 'elevation_mismatch',
    message:
      `elevation_m is ${elevationM} m, but the matched point lies at ${matchedM} m: the difference may be ` +
      `at most ${MAX_RISE_M} m.${hint}`,
    details: { elevation_m: elevationM, matched_elevation_m: matchedM },
  };
}

/** Names that are one edit from that of an optional field and that callers use for tags of their own. */
const TAGS: readonly string[] = ['condition', 'elevation'];

/** The optional field whose name is one edit from a name; undefined where there is none. */
export function optionalFieldNear(name: string, optional: readonly string[]): string | undefined {
  return TAGS.includes(name) ? undefined : optional.find((field) => isOneEditAway(name, field));
}

/**
 * Whether a name differs from an ASCII one by one character that is inserted, left out or replaced, or by two neighbours
 * that are swapped (Damerau-Levenshtein distance 1).
 */
function isOneEditAway(name: string, ascii: string): boolean {
  if (Math.abs(name.length - ascii.length) > 2 || name === ascii) return false; // a character may be two code units
  let at = 0;
  while (at < ascii.length && name[at] === ascii[at]) at++;
  const next = at + ((name.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  return (
    name.slice(next) === ascii.slice(at + 1) ||
    name.slice(next) === ascii.slice(at) ||
    name.slice(at) === ascii.slice(at + 1) ||
    (name[at] === ascii[at + 1] && name[at + 1] === ascii[at] && name.slice(at + 2) === ascii.slice(at + 2))
  );
}
