import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { adjustmentWidth } from '../../prediction/conditions/adjustments.js';
import { ALL_HORIZONS, PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import { SiteRows } from '../../prediction/site-rows.js';
import type { ErrorObject } from '../errors/api-error.js';
import { perGeneration } from '../serving/serving.js';
import { horizonAt, horizonsAt } from './horizons.js';
import { OPEN_OBJECT, textAt, valueEnd } from './json.js';
import { ObjectFields } from './object-fields.js';
import { OptionReader } from './option-reader.js';
import { optionRulesOf } from './option-schemas.js';
import { fieldOutlines, listOutlineAt, outlineAt } from './outlines.js';
import { placeHint } from './places.js';
import { readDocument } from './read-document.js';
import { siteShapeError, unknownMethod, unknownSpecies } from './request-errors.js';
import { MAX_CHOICES, RANKING_FIELDS, RANKING_OPTIONS, type RankRequest, requestSchemas } from './schemas.js';

/** What to rank at a site. */
export interface Ranking {
  /** One row: the site with its horizons and options. Its species and method have no meaning. */
  readonly site: SiteRows;
  /** Indexes into the species list, without repeats, at least one. */
  readonly species: readonly number[];
  /** Indexes into PLANTING_METHODS, without repeats, at least one. */
  readonly methods: readonly number[];
  /** Whether species are left out whose native range does not hold the matched point. */
  readonly nativeOnly: boolean;
}

/** What to rank, or what is wrong with the request. */
export type RankReading =
  | { readonly ranking: Ranking; readonly error?: undefined }
  | { readonly error: ErrorObject };

/** Where the fields are in RANKING_FIELDS. */
const YEARS = RANKING_FIELDS.indexOf('horizons');
const ELEVATION = RANKING_FIELDS.indexOf('elevation_m');
const CONDITIONS = RANKING_FIELDS.indexOf('conditions');
const SCENARIO = RANKING_FIELDS.indexOf('scenario');
const INCLUDE = RANKING_FIELDS.indexOf('include');

/** Reads the bodies of POST /v1/predict/rank. */
export class RankReader {
  readonly #fields = new ObjectFields(RANKING_FIELDS, RANKING_OPTIONS);
  readonly #species: SpeciesCatalogue;
  readonly #schema: ReturnType<typeof requestSchemas>['ranking'];
  readonly #options: OptionReader;
  readonly #width: number;

  /** @param placeHint says as a sentence which place was probably meant by a place that cannot be, or '' */
  constructor(
    artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>,
    private readonly placeHint: (latitude: number, longitude: number) => string,
  ) {
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(artefacts.species);
    this.#schema = requestSchemas(rules).ranking;
    this.#options = new OptionReader(rules);
    this.#width = adjustmentWidth(artefacts.manifest);
  }

  /** @throws ApiError invalid_json */
  read(bytes: Buffer): RankReading {
    let start = 0;
    readDocument(bytes, (at) => {
      start = at;
      return bytes[at] === OPEN_OBJECT ? this.#fields.scan(bytes, at) : valueEnd(bytes, at);
    });
    const isObject = bytes[start] === OPEN_OBJECT;
    const body = isObject
      ? Object.fromEntries(fieldOutlines(bytes, this.#fields, this.#outlines))
      : outlineAt(bytes, start);
    const misspellings = isObject ? this.#fields.misspellings(bytes) : [];
    const invalid = siteShapeError(this.#schema, body, misspellings, this.placeHint);
    if (invalid !== undefined) return { error: invalid };

    const { species_codes, planting_methods, native_only = true, ...site } = body as RankRequest;
    const codes = species_codes as string[] | undefined;
    const unknownCode = codes?.find((code) => this.#species.indexOf(code) === -1);
    if (unknownCode !== undefined) return { error: unknownSpecies(unknownCode, this.#species) };
    const methods = (planting_methods ?? PLANTING_METHODS) as PlantingMethod[];
    const wrongMethod = methods.findIndex((method) => !PLANTING_METHODS.includes(method));
    if (wrongMethod !== -1) return { error: unknownMethod('each of planting_methods', methods[wrongMethod]) };
    const ranking = {
      site: this.#siteOf(bytes, site),
      species:
        codes === undefined
          ? this.#species.list.map((_, index) => index)
          : [...new Set(codes.map((code) => this.#species.indexOf(code)))],
      methods: [...new Set(methods.map((method) => PLANTING_METHODS.indexOf(method)))],
      nativeOnly: native_only,
    };
    return { ranking };
  }

  /** @param place of a body that has its shape: the object scanned last */
  #siteOf(bytes: Buffer, { latitude, longitude }: Pick<RankRequest, 'latitude' | 'longitude'>): SiteRows {
    const { starts } = this.#fields;
    const rows = new SiteRows(1, this.#width);
    rows.latitude[0] = latitude;
    rows.longitude[0] = longitude;
    rows.horizons[0] = starts[YEARS] === 0 ? ALL_HORIZONS : horizonsAt(bytes, starts[YEARS]);
    const options = {
      elevation: starts[ELEVATION],
      conditions: starts[CONDITIONS],
      scenario: starts[SCENARIO],
      include: starts[INCLUDE],
    };
    if (!this.#options.write(bytes, options, rows, 0)) throw new Error('options that fit were not read');
    return rows.first(1); // without adjustments where there are none
  }

  /** How error messages show the fields that they show more of than `outlineAt` does. */
  get #outlines() {
    const choices = (bytes: Buffer, start: number) => listOutlineAt(bytes, start, textAt, MAX_CHOICES);
    return {
      horizons: (bytes: Buffer, start: number) => listOutlineAt(bytes, start, horizonAt),
      species_codes: choices,
      planting_methods: choices,
      ...this.#options.outlines,
    };
  }
}

/** The reader of a generation. */
export const rankReaderOf = perGeneration(
  (generation) =>
    new RankReader(generation.artefacts, (latitude, longitude) => placeHint(generation, latitude, longitude)),
);
