import type { z } from 'zod';
import { LARGEST_BATCH_SITES, TIERS, type Tier } from '../../accounts/tiers.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { adjustmentWidth } from '../../prediction/conditions/adjustments.js';
import {
  ALL_HORIZONS,
  BOTH_METHODS,
  PLANTING_METHODS,
  type PlantingMethod,
} from '../../prediction/dimensions.js';
import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import { perGeneration } from '../../prediction/per-generation.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { optionNear } from './misspellings.js';
import { optionRulesOf } from './option-schemas.js';
import { horizonSetOf, OptionWriter, type StatedOptions } from './option-writer.js';
import { placeHint } from './places.js';
import { parseDocument } from './read-document.js';
import { entryError, invalidRequest } from './request-errors.js';
import {
  batchRequestSchema,
  FIELDS,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  OPTIONS,
  type RequestSchemas,
  requestSchemas,
} from './schemas.js';

/** A batch whose entries were checked. */
export interface Batch {
  /** Entries submitted. */
  readonly total: number;
  /** The valid entries, in their order. */
  readonly rows: SiteRows;
  /** The entry of each row. */
  readonly entries: Int32Array;
  /** What is wrong with the other entries, in ascending order. */
  readonly failed: ReadonlyMap<number, FailedEntry>;
}

/** A single site: its row, or what is wrong with it. */
export type SiteReading =
  | { readonly rows: SiteRows; readonly error?: undefined }
  | { readonly error: ErrorObject };

export interface FailedEntry {
  readonly error: ErrorObject;
  /** Degrees as submitted; null where that was not a number. */
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** The fields of a site as parsed. */
interface SiteFields extends StatedOptions {
  readonly latitude?: unknown;
  readonly longitude?: unknown;
  readonly species_code?: unknown;
  readonly planting_method?: unknown;
  readonly horizons?: unknown;
}

const FIELD_SET: ReadonlySet<string> = new Set(FIELDS);

/** Reads the bodies of requests for sites into columns. */
export class RequestReader {
  readonly #species: SpeciesCatalogue;
  readonly #schemas: RequestSchemas;
  readonly #options: OptionWriter;
  /** The rows of the batch that is being read, and the entry of each. */
  readonly #rows: SiteRows;
  readonly #entries = new Int32Array(LARGEST_BATCH_SITES);

  /** @param placeHint says as a sentence which place was probably meant by a place that cannot be, or '' */
  constructor(
    artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>,
    private readonly placeHint: (latitude: number, longitude: number) => string,
  ) {
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(artefacts.species);
    this.#schemas = requestSchemas(rules);
    this.#options = new OptionWriter(rules);
    this.#rows = new SiteRows(LARGEST_BATCH_SITES, adjustmentWidth(artefacts.manifest));
  }

  /**
   * Reads the body of POST /v1/predict, or of POST /v1/predict/compare.
   * @returns its row, or what is wrong with it
   * @throws ApiError invalid_json
   */
  readSite(bytes: Buffer, kind: 'prediction' | 'comparison'): SiteReading {
    const site = parseDocument(bytes);
    const isValid =
      isObject(site) && this.#write(site, 0, kind === 'comparison' ? BOTH_METHODS : methodOf(site));
    if (isValid) return { rows: this.#rows.first(1) };
    return { error: this.#errorOf(site, this.#schemas[kind]) };
  }

  /**
   * Reads the body of POST /v1/predict/batch.
   * @throws ApiError invalid_json, and invalid_request or batch_too_large where the body is wrong as a whole
   */
  readBatch(bytes: Buffer, tier: Tier): Batch {
    const body = parseDocument(bytes);
    const requests = isObject(body) ? (body as { readonly requests?: unknown }).requests : undefined;
    // The schema would copy a long array.
    if (!Array.isArray(requests)) throw new ApiError(invalidBatch(body));
    checkBatchSize(requests.length, tier);
    const failed = new Map<number, FailedEntry>();
    let rowCount = 0;
    for (let entry = 0; entry < requests.length; entry++) {
      const site = requests[entry];
      if (isObject(site) && this.#write(site, rowCount, methodOf(site))) this.#entries[rowCount++] = entry;
      else {
        const { latitude, longitude } = isObject(site) ? site : ({} as SiteFields);
        failed.set(entry, {
          error: this.#errorOf(site, this.#schemas.prediction),
          latitude: numberOrNull(latitude),
          longitude: numberOrNull(longitude),
        });
      }
    }
    const rows = this.#rows.first(rowCount);
    return { total: requests.length, rows, entries: this.#entries.slice(0, rowCount), failed };
  }

  #errorOf(site: unknown, schema: z.ZodType): ErrorObject {
    return entryError(schema, site, OPTIONS, this.#species, this.placeHint);
  }

  /**
   * Writes a site to a row.
   * @param method -1 where it is not valid
   * @returns whether the site is valid: exactly where the schema, the species and the method are
   */
  #write(site: SiteFields, row: number, method: number): boolean {
    const rows = this.#rows;
    const { latitude, longitude, species_code, horizons: years } = site;
    if (typeof latitude !== 'number' || Math.abs(latitude) > MAX_LATITUDE) return false;
    if (typeof longitude !== 'number' || Math.abs(longitude) > MAX_LONGITUDE) return false;
    const species = typeof species_code === 'string' ? this.#species.indexOf(species_code) : -1;
    const horizons = years === undefined ? ALL_HORIZONS : horizonSetOf(years);
    if (species === -1 || method === -1 || horizons === 0) return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.species[row] = species;
    rows.method[row] = method;
    rows.horizons[row] = horizons;
    rows.options[row] = 0;
    for (const name in site) {
      if (FIELD_SET.has(name)) continue;
      const option = optionNear(name, OPTIONS);
      if (option !== undefined && !Object.hasOwn(site, option)) return false; // misspelt
    }
    const { elevation_m, conditions, scenario, include } = site;
    const hasNone =
      elevation_m === undefined &&
      conditions === undefined &&
      scenario === undefined &&
      include === undefined;
    return hasNone || this.#options.write(site, rows, row);
  }
}

/** The reader of a generation. */
export const requestReaderOf = perGeneration(
  (generation) =>
    new RequestReader(generation.artefacts, (latitude, longitude) =>
      placeHint(generation, latitude, longitude),
    ),
);

function isObject(value: unknown): value is SiteFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The index of a site's planting method, or -1. */
function methodOf({ planting_method }: SiteFields): number {
  return PLANTING_METHODS.indexOf(planting_method as PlantingMethod);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The error of a body that is no object with an array of requests. */
function invalidBatch(body: unknown): ErrorObject {
  const error = invalidRequest(batchRequestSchema, body);
  if (error === undefined) throw new Error('a body without an array of requests is valid');
  return error;
}

/** @throws ApiError batch_too_large */
function checkBatchSize(submitted: number, tier: Tier): void {
  const limit = TIERS[tier].sitesPerBatch;
  if (submitted <= limit) return;
  throw new ApiError({
    code: 'batch_too_large',
    message: `The batch has ${submitted} entries; the ${tier} tier allows ${limit}.`,
    details: { submitted, tier_limit: limit, tier },
  });
}
