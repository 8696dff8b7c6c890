import {
  ALL_HORIZONS,
  BOTH_METHODS,
  HORIZONS,
  type Horizon,
  PLANTING_METHODS,
  type PlantingMethod,
} from '../../prediction/dimensions.js';
import { memoize, type PredictorData } from '../../prediction/predictor-data.js';
import { adjustmentWidth, SiteRows } from '../../prediction/site-rows.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { show } from '../errors/shown-value.js';
import { type Choice, readChoice } from './choice.js';
import { OPTION_NAMES, optionWriter, type StatedOptions } from './options.js';
import { speciesOf } from './places.js';
import { parseDocument } from './read-document.js';
import {
  batchTooLarge,
  entryError,
  isObject,
  issueError,
  notAnObject,
  optionalFieldNear,
  siteShapeError,
  type TierLimit,
} from './request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE, optionalNames, type RankRequest, requestSchemas } from './schemas.js';

export interface Ranking extends Choice {
  /** One row: the site with its horizons and options. Its species and method have no meaning. */
  readonly site: SiteRows;
}

type SiteFields = StatedOptions &
  Readonly<
    Partial<Record<'latitude' | 'longitude' | 'species_code' | 'planting_method' | 'horizons', unknown>>
  >;

/** Degrees are as submitted; null where that was not a number. */
interface FailedEntry {
  readonly error: ErrorObject;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/**
 * Reads the bodies of requests for sites into columns. A plain loop reads what is valid; the schemas say what is wrong
 * with the rest.
 */
export function requestReader(data: PredictorData) {
  const catalogue = speciesOf(data);
  const schemas = requestSchemas(data);
  const writeOptions = optionWriter(data);
  const optionNames: readonly string[] = OPTION_NAMES;
  /** The fields of a site, and whether the writer of options reads them. */
  const fields = new Map(
    Object.keys(schemas.prediction.shape).map((name) => [name, optionNames.includes(name)]),
  );
  const optional = optionalNames(schemas.prediction);
  const width = adjustmentWidth(data.manifest);
  /** The rows of the request that is being read. */
  let rows = new SiteRows(1, width);

  /**
   * Writes a site with its species and method to a row.
   * @param method -1 where it is not valid
   * @returns whether the site is valid: true exactly if the schema accepts it and its species and method exist
   */
  function write(site: SiteFields, row: number, method: number): boolean {
    const { species_code } = site;
    const species = typeof species_code === 'string' ? catalogue.indexOf(species_code) : -1;
    if (species === -1 || method === -1) return false;
    rows.species[row] = species;
    rows.method[row] = method;
    let hasOptions = false;
    for (const name in site) {
      const isOption = fields.get(name);
      if (isOption) hasOptions = true;
      if (isOption !== undefined) continue;
      const near = optionalFieldNear(name, optional);
      if (near !== undefined && !Object.hasOwn(site, near)) return false; // misspelt
    }
    return writeSite(site, row, hasOptions);
  }

  /** Writes the place, horizons and options of a site to a row. @returns whether they are valid */
  function writeSite(site: SiteFields, row: number, hasOptions: boolean): boolean {
    const { latitude, longitude, horizons: years } = site;
    if (typeof latitude !== 'number' || Math.abs(latitude) > MAX_LATITUDE) return false;
    if (typeof longitude !== 'number' || Math.abs(longitude) > MAX_LONGITUDE) return false;
    const horizons = years === undefined ? ALL_HORIZONS : horizonSetOf(years);
    if (horizons === 0) return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.horizons[row] = horizons;
    rows.options[row] = 0;
    return !hasOptions || writeOptions(site, rows, row);
  }

  return {
    /** Reads the body of POST /v1/predict or /v1/predict/compare. @throws ApiError where it is not JSON */
    readSite(bytes: Buffer, kind: 'prediction' | 'comparison'): SiteRows | ErrorObject {
      const site = parseDocument(bytes);
      const isValid = isObject(site) && write(site, 0, kind === 'comparison' ? BOTH_METHODS : methodOf(site));
      return isValid ? rows.first(1) : entryError(data, schemas[kind], site);
    },

    /**
     * Reads the body of POST /v1/predict/batch.
     * @returns the rows of the valid entries with the entry of each row, and the errors of the other entries, by entry
     * @throws ApiError invalid_json, and invalid_request or batch_too_large where the body is wrong as a whole
     */
    readBatch(bytes: Buffer, limit: TierLimit) {
      const body = parseDocument(bytes);
      if (!isObject(body)) throw new ApiError(notAnObject(body));
      const { requests } = body;
      if (!Array.isArray(requests))
        throw issueError('requests', `requests must be an array, not ${show(requests)}`);
      const total = requests.length;
      if (total > limit.max) throw batchTooLarge(`The batch has ${total} entries`, total, limit);
      if (total > rows.count) rows = new SiteRows(limit.max, width);
      const entries = new Int32Array(total);
      const failed = new Map<number, FailedEntry>();
      let rowCount = 0;
      for (let entry = 0; entry < total; entry++) {
        const site = requests[entry];
        if (isObject(site) && write(site, rowCount, methodOf(site))) entries[rowCount++] = entry;
        else {
          const { latitude, longitude }: SiteFields = isObject(site) ? site : {};
          const error = entryError(data, schemas.prediction, site);
          failed.set(entry, { error, latitude: numberOrNull(latitude), longitude: numberOrNull(longitude) });
        }
      }
      return { total, rows: rows.first(rowCount), entries: entries.subarray(0, rowCount), failed };
    },

    /** Reads the body of POST /v1/predict/rank. @throws ApiError where it is not JSON */
    readRanking(bytes: Buffer): Ranking | ErrorObject {
      const body = parseDocument(bytes);
      const invalid = siteShapeError(data, schemas.ranking, body);
      if (invalid !== undefined) return invalid;
      const ranking = body as RankRequest;
      const choice = readChoice(ranking, catalogue);
      if ('code' in choice) return choice;
      if (!writeSite(ranking, 0, true)) throw new Error('the site of a valid ranking was rejected');
      return { site: rows.first(1), ...choice };
    },
  };
}

export const requestReaderOf = memoize(requestReader);

function methodOf({ planting_method }: SiteFields): number {
  return PLANTING_METHODS.indexOf(planting_method as PlantingMethod);
}

/** The horizons of a list as a set of bits; 0 if it is empty or not a list of horizons. */
export function horizonSetOf(years: unknown): number {
  if (!Array.isArray(years)) return 0;
  let set = 0;
  for (const year of years) {
    const horizon = HORIZONS.indexOf(year as Horizon);
    if (horizon === -1) return 0;
    set |= 1 << horizon;
  }
  return set;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
