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
import { SiteRows } from '../../prediction/site-rows.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { perGeneration } from '../serving/serving.js';
import { horizonAt, horizonsAt } from './horizons.js';
import { arrayEnd, numberAt, OPEN_ARRAY, OPEN_OBJECT, startsWith, textAt, valueEnd } from './json.js';
import { ObjectFields } from './object-fields.js';
import { OptionReader } from './option-reader.js';
import { optionRulesOf } from './option-schemas.js';
import { fieldOutlines, listOutlineAt, outlineAt } from './outlines.js';
import { placeHint } from './places.js';
import { readDocument } from './read-document.js';
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
  /** The entries that fit, in their order. */
  readonly rows: SiteRows;
  /** The entry of each row. */
  readonly entries: Int32Array;
  /** By entry, in ascending order, what is wrong with those that do not. */
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

/** Where the fields are in FIELDS. */
const LATITUDE = FIELDS.indexOf('latitude');
const LONGITUDE = FIELDS.indexOf('longitude');
const SPECIES = FIELDS.indexOf('species_code');
const METHOD = FIELDS.indexOf('planting_method');
const YEARS = FIELDS.indexOf('horizons');
const ELEVATION = FIELDS.indexOf('elevation_m');
const CONDITIONS = FIELDS.indexOf('conditions');
const SCENARIO = FIELDS.indexOf('scenario');
const INCLUDE = FIELDS.indexOf('include');

const QUOTED_METHODS = PLANTING_METHODS.map((method) => Buffer.from(`"${method}"`));

/**
 * Reads the bodies of requests from their bytes. What can be predicted is written into columns without an object for any
 * site; the fields of anything else become objects, for the error messages.
 */
export class RequestReader {
  readonly #species: SpeciesCatalogue;
  readonly #quotedCodes: readonly Buffer[];
  /** Index of a species by the first four bytes of its code. */
  readonly #codeStarts: ReadonlyMap<number, number>;
  readonly #schemas: RequestSchemas;
  readonly #options: OptionReader;
  readonly #batch = new ObjectFields(['requests'], []);
  readonly #site = new ObjectFields(FIELDS, OPTIONS);
  /** The entries of the batch being read that fit, and which entry each is. */
  readonly #rows: SiteRows;
  readonly #entries = new Int32Array(LARGEST_BATCH_SITES);
  #rowCount = 0;
  #total = 0;
  /** The offset of each entry that does not fit, 0 for the others. */
  readonly #unfit = new Int32Array(LARGEST_BATCH_SITES);

  /** @param placeHint says as a sentence which place was probably meant by a place that cannot be, or '' */
  constructor(
    artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>,
    private readonly placeHint: (latitude: number, longitude: number) => string,
  ) {
    const { species, manifest } = artefacts;
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(species);
    this.#quotedCodes = species.map(({ species_code }) => Buffer.from(`"${species_code}"`));
    this.#codeStarts = new Map(
      species.map(({ species_code }, index) => [Buffer.from(species_code.padEnd(4)).readInt32LE(0), index]),
    );
    this.#schemas = requestSchemas(rules);
    this.#options = new OptionReader(rules);
    this.#rows = new SiteRows(LARGEST_BATCH_SITES, adjustmentWidth(manifest));
  }

  /**
   * Reads the body of POST /v1/predict, or of POST /v1/predict/compare.
   * @returns its row, or what is wrong with it
   * @throws ApiError invalid_json
   */
  readSite(bytes: Buffer, kind: 'prediction' | 'comparison'): SiteReading {
    let start = 0;
    let fits = false;
    readDocument(bytes, (at) => {
      start = at;
      if (bytes[at] !== OPEN_OBJECT) return valueEnd(bytes, at);
      const end = this.#site.scan(bytes, at);
      fits = this.#writeRow(bytes, 0, kind === 'comparison' ? BOTH_METHODS : this.#methodAt(bytes));
      return end;
    });
    if (fits) return { rows: this.#rows.first(1) };
    return { error: this.#failureAt(bytes, start, this.#schemas[kind]).error };
  }

  /**
   * Reads the body of POST /v1/predict/batch.
   * @throws ApiError invalid_json, and invalid_request or batch_too_large where the body is wrong as a whole
   */
  readBatch(bytes: Buffer, tier: Tier): Batch {
    let body = 0;
    readDocument(bytes, (start) => {
      body = start;
      if (bytes[start] !== OPEN_OBJECT) return valueEnd(bytes, start);
      return this.#batch.scan(bytes, start, this.#requestsEnd);
    });
    const isObject = bytes[body] === OPEN_OBJECT;
    if (!isObject || bytes[this.#batch.starts[0]] !== OPEN_ARRAY) {
      const value = isObject ? Object.fromEntries(fieldOutlines(bytes, this.#batch)) : outlineAt(bytes, body);
      const error = invalidRequest(batchRequestSchema, value);
      if (error !== undefined) throw new ApiError(error);
    }
    checkBatchSize(this.#total, tier);
    const failed = new Map<number, FailedEntry>();
    for (let entry = 0; entry < this.#total; entry++) {
      const at = this.#unfit[entry];
      if (at !== 0) failed.set(entry, this.#failureAt(bytes, at, this.#schemas.prediction));
    }
    const rows = this.#rows.first(this.#rowCount);
    return { total: this.#total, rows, entries: this.#entries.slice(0, this.#rowCount), failed };
  }

  /** Reads the value of `requests`. Of a body that has it twice the last counts. */
  #requestsEnd = (bytes: Buffer, start: number): number => {
    this.#total = this.#rowCount = 0;
    if (bytes[start] !== OPEN_ARRAY) return valueEnd(bytes, start);
    return arrayEnd(bytes, start, (at) => {
      const entry = this.#total++;
      if (entry >= LARGEST_BATCH_SITES) return valueEnd(bytes, at);
      const isObject = bytes[at] === OPEN_OBJECT;
      const end = isObject ? this.#site.scan(bytes, at) : valueEnd(bytes, at);
      const fits = isObject && this.#writeRow(bytes, this.#rowCount, this.#methodAt(bytes));
      this.#unfit[entry] = fits ? 0 : at;
      if (fits) this.#entries[this.#rowCount++] = entry;
      return end;
    });
  };

  /** How error messages show the fields that they show more of than `outlineAt` does. */
  get #outlines() {
    const horizons = (bytes: Buffer, start: number) => listOutlineAt(bytes, start, horizonAt);
    return { horizons, ...this.#options.outlines };
  }

  #failureAt(bytes: Buffer, at: number, schema: z.ZodType): FailedEntry {
    const isObject = bytes[at] === OPEN_OBJECT;
    if (isObject) this.#site.scan(bytes, at);
    const entry = isObject
      ? Object.fromEntries(fieldOutlines(bytes, this.#site, this.#outlines))
      : outlineAt(bytes, at);
    const misspellings = isObject ? this.#site.misspellings(bytes) : [];
    return {
      error: entryError(schema, entry, misspellings, this.#species, this.placeHint),
      latitude: isObject ? this.#coordinateAt(bytes, LATITUDE) : null,
      longitude: isObject ? this.#coordinateAt(bytes, LONGITUDE) : null,
    };
  }

  #coordinateAt(bytes: Buffer, field: number): number | null {
    const degrees = numberAt(bytes, this.#site.starts[field]);
    return Number.isFinite(degrees) ? degrees : null;
  }

  /** Writes the object scanned last to a row. @param method -1 for none @returns whether it fits */
  #writeRow(bytes: Buffer, row: number, method: number): boolean {
    const rows = this.#rows;
    const { starts } = this.#site;
    const latitude = numberAt(bytes, starts[LATITUDE]);
    const longitude = numberAt(bytes, starts[LONGITUDE]);
    const isPlace = Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE; // not NaN
    const species = this.#speciesAt(bytes, starts[SPECIES]);
    const horizons = starts[YEARS] === 0 ? ALL_HORIZONS : horizonsAt(bytes, starts[YEARS]);
    if (!isPlace || species === -1 || method === -1 || horizons === 0 || this.#site.hasMisspelling)
      return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.species[row] = species;
    rows.method[row] = method;
    rows.horizons[row] = horizons;
    rows.options[row] = 0;
    const elevation = starts[ELEVATION];
    const conditions = starts[CONDITIONS];
    const scenario = starts[SCENARIO];
    const include = starts[INCLUDE];
    if ((elevation | conditions | scenario | include) === 0) return true;
    return this.#options.write(bytes, { elevation, conditions, scenario, include }, rows, row);
  }

  #speciesAt(bytes: Buffer, start: number): number {
    if (start + 5 < bytes.length) {
      const index = this.#codeStarts.get(bytes.readInt32LE(start + 1));
      if (index !== undefined && startsWith(bytes, start, this.#quotedCodes[index])) return index;
    }
    return this.#species.indexOf(textAt(bytes, start) ?? '');
  }

  /** The planting method of the object scanned last, or -1. */
  #methodAt(bytes: Buffer): number {
    const start = this.#site.starts[METHOD];
    for (let method = 0; method < QUOTED_METHODS.length; method++)
      if (startsWith(bytes, start, QUOTED_METHODS[method])) return method;
    return PLANTING_METHODS.indexOf(textAt(bytes, start) as PlantingMethod);
  }
}

/** The reader of a generation. */
export const requestReaderOf = perGeneration(
  (generation) =>
    new RequestReader(generation.artefacts, (latitude, longitude) =>
      placeHint(generation, latitude, longitude),
    ),
);

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
