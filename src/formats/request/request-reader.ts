import type { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import {
  ALL_HORIZONS,
  BOTH_METHODS,
  HORIZONS,
  type Horizon,
  PLANTING_METHODS,
  type PlantingMethod,
} from '../../prediction/dimensions.js';
import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import { show } from '../../prediction/errors/shown-value.js';
import { perGeneration } from '../../prediction/per-generation.js';
import type { PredictorData } from '../../prediction/predictor.js';
import { adjustmentWidth, SiteRows } from '../../prediction/site-rows.js';
import { OPTION_NAMES, optionWriter, type StatedOptions } from './options.js';
import { speciesOf } from './places.js';
import { parseDocument } from './read-document.js';
import {
  batchTooLarge,
  type Choice,
  entryError,
  isObject,
  issueError,
  notAnObject,
  optionNear,
  readChoice,
  siteShapeError,
  type TierLimit,
} from './request-errors.js';
import {
  MAX_LATITUDE,
  MAX_LONGITUDE,
  optionsOf,
  type RankRequest,
  type RequestSchemas,
  requestSchemas,
} from './schemas.js';

/** A batch whose entries were checked. */
interface Batch {
  /** Entries submitted. */
  readonly total: number;
  /** The valid entries, in their order. */
  readonly rows: SiteRows;
  /** The entry of each row. */
  readonly entries: Int32Array;
  /** What is wrong with the other entries, in ascending order. */
  readonly failed: ReadonlyMap<number, FailedEntry>;
}

interface FailedEntry {
  readonly error: ErrorObject;
  /** Degrees as submitted; null where that was not a number. */
  readonly latitude: number | null;
  readonly longitude: number | null;
}

export interface Ranking extends Choice {
  /** One row: the site with its horizons and options. Its species and method have no meaning. */
  readonly site: SiteRows;
}

/** The fields of a site as parsed. */
type SiteFields = StatedOptions &
  Readonly<
    Partial<Record<'latitude' | 'longitude' | 'species_code' | 'planting_method' | 'horizons', unknown>>
  >;

/**
 * Reads the bodies of requests for sites into columns. A plain loop reads what is valid; the schemas say what is wrong
 * with the rest.
 */
export class RequestReader {
  readonly #species: SpeciesCatalogue;
  readonly #schemas: RequestSchemas;
  readonly #writeOptions: ReturnType<typeof optionWriter>;
  /** The fields of a site, and whether the writer of options reads them. */
  readonly #isOption: ReadonlyMap<string, boolean>;
  /** The fields of a site that may be absent. */
  readonly #optional: readonly string[];
  readonly #width: number;
  /** The rows of the request that is being read. */
  #rows: SiteRows;

  constructor(private readonly data: PredictorData) {
    this.#species = speciesOf(data);
    this.#schemas = requestSchemas(data);
    const { prediction } = this.#schemas;
    const isOption = (name: string) => (OPTION_NAMES as readonly string[]).includes(name);
    this.#writeOptions = optionWriter(data);
    this.#isOption = new Map(Object.keys(prediction.shape).map((name) => [name, isOption(name)]));
    this.#optional = optionsOf(prediction);
    this.#width = adjustmentWidth(data.manifest);
    this.#rows = new SiteRows(1, this.#width);
  }

  /**
   * Reads the body of POST /v1/predict, or of POST /v1/predict/compare.
   * @returns its row, or what is wrong with it
   * @throws ApiError invalid_json
   */
  readSite(bytes: Buffer, kind: 'prediction' | 'comparison'): SiteRows | ErrorObject {
    const site = parseDocument(bytes);
    const isValid =
      isObject(site) && this.#write(site, 0, kind === 'comparison' ? BOTH_METHODS : methodOf(site));
    return isValid ? this.#rows.first(1) : entryError(this.data, this.#schemas[kind], site);
  }

  /**
   * Reads the body of POST /v1/predict/batch.
   * @throws ApiError invalid_json, and invalid_request or batch_too_large where the body is wrong as a whole
   */
  readBatch(bytes: Buffer, limit: TierLimit): Batch {
    const body = parseDocument(bytes);
    if (!isObject(body)) throw new ApiError(notAnObject(body));
    const { requests } = body;
    if (!Array.isArray(requests))
      throw issueError('requests', `requests must be an array, not ${show(requests)}`);
    if (requests.length > limit.most)
      throw batchTooLarge(`The batch has ${requests.length} entries`, requests.length, limit);
    if (requests.length > this.#rows.count) this.#rows = new SiteRows(limit.most, this.#width);
    const entries = new Int32Array(requests.length);
    const failed = new Map<number, FailedEntry>();
    let rowCount = 0;
    for (let entry = 0; entry < requests.length; entry++) {
      const site = requests[entry];
      if (isObject(site) && this.#write(site, rowCount, methodOf(site))) entries[rowCount++] = entry;
      else {
        const { latitude, longitude }: SiteFields = isObject(site) ? site : {};
        const error = entryError(this.data, this.#schemas.prediction, site);
        failed.set(entry, { error, latitude: numberOrNull(latitude), longitude: numberOrNull(longitude) });
      }
    }
    const rows = this.#rows.first(rowCount);
    return { total: requests.length, rows, entries: entries.subarray(0, rowCount), failed };
  }

  /**
   * Reads the body of POST /v1/predict/rank.
   * @returns what to rank, or what is wrong with the request
   * @throws ApiError invalid_json
   */
  readRanking(bytes: Buffer): Ranking | ErrorObject {
    const body = parseDocument(bytes);
    const invalid = siteShapeError(this.data, this.#schemas.ranking, body);
    if (invalid !== undefined) return invalid;
    const ranking = body as RankRequest;
    const choice = readChoice(ranking, this.#species);
    if ('code' in choice) return choice;
    if (!this.#writeSite(ranking, 0, true)) throw new Error('the site of a valid ranking was rejected');
    return { site: this.#rows.first(1), ...choice };
  }

  /**
   * Writes a site with its species and method to a row.
   * @param method -1 where it is not valid
   * @returns whether the site is valid: exactly where the schema, the species and the method are
   */
  #write(site: SiteFields, row: number, method: number): boolean {
    const { species_code } = site;
    const species = typeof species_code === 'string' ? this.#species.indexOf(species_code) : -1;
    if (species === -1 || method === -1) return false;
    this.#rows.species[row] = species;
    this.#rows.method[row] = method;
    let hasOptions = false;
    for (const name in site) {
      const isOption = this.#isOption.get(name);
      if (isOption) hasOptions = true;
      if (isOption !== undefined) continue;
      const option = optionNear(name, this.#optional);
      if (option !== undefined && !Object.hasOwn(site, option)) return false; // misspelt
    }
    return this.#writeSite(site, row, hasOptions);
  }

  /** Writes the place, horizons and options of a site to a row. @returns whether they are valid */
  #writeSite(site: SiteFields, row: number, hasOptions: boolean): boolean {
    const rows = this.#rows;
    const { latitude, longitude, horizons: years } = site;
    if (typeof latitude !== 'number' || Math.abs(latitude) > MAX_LATITUDE) return false;
    if (typeof longitude !== 'number' || Math.abs(longitude) > MAX_LONGITUDE) return false;
    const horizons = years === undefined ? ALL_HORIZONS : horizonSetOf(years);
    if (horizons === 0) return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.horizons[row] = horizons;
    rows.options[row] = 0;
    return !hasOptions || this.#writeOptions(site, rows, row);
  }
}

export const requestReaderOf = perGeneration((data: PredictorData) => new RequestReader(data));

function methodOf({ planting_method }: SiteFields): number {
  return PLANTING_METHODS.indexOf(planting_method as PlantingMethod);
}

/** The set of horizons of a list as bits; 0 where it has none, or is anything else. */
function horizonSetOf(years: unknown): number {
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
