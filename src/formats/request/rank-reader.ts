import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import { adjustmentWidth } from '../../prediction/conditions/adjustments.js';
import { ALL_HORIZONS, PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import type { ErrorObject } from '../../prediction/errors/api-error.js';
import { perGeneration } from '../../prediction/per-generation.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { optionRulesOf } from './option-schemas.js';
import { horizonSetOf, OptionWriter, type StatedOptions } from './option-writer.js';
import { placeHint } from './places.js';
import { parseDocument } from './read-document.js';
import { siteShapeError, unknownMethod, unknownSpecies } from './request-errors.js';
import { RANKING_OPTIONS, type RankRequest, requestSchemas } from './schemas.js';

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

/** Reads the bodies of POST /v1/predict/rank. */
export class RankReader {
  readonly #species: SpeciesCatalogue;
  readonly #schema: ReturnType<typeof requestSchemas>['ranking'];
  readonly #options: OptionWriter;
  readonly #width: number;

  /** @param placeHint says as a sentence which place was probably meant by a place that cannot be, or '' */
  constructor(
    artefacts: Pick<Artefacts, 'species' | 'manifest' | 'grid'>,
    private readonly placeHint: (latitude: number, longitude: number) => string,
  ) {
    const rules = optionRulesOf(artefacts);
    this.#species = new SpeciesCatalogue(artefacts.species);
    this.#schema = requestSchemas(rules).ranking;
    this.#options = new OptionWriter(rules);
    this.#width = adjustmentWidth(artefacts.manifest);
  }

  /** @throws ApiError invalid_json */
  read(bytes: Buffer): RankReading {
    const body = parseDocument(bytes);
    const invalid = siteShapeError(this.#schema, body, RANKING_OPTIONS, this.placeHint);
    if (invalid !== undefined) return { error: invalid };

    const { species_codes, planting_methods, native_only = true, ...site } = body as RankRequest;
    const codes = species_codes as string[] | undefined;
    const unknownCode = codes?.find((code) => this.#species.indexOf(code) === -1);
    if (unknownCode !== undefined) return { error: unknownSpecies(unknownCode, this.#species) };
    const methods = (planting_methods ?? PLANTING_METHODS) as PlantingMethod[];
    const wrongMethod = methods.findIndex((method) => !PLANTING_METHODS.includes(method));
    if (wrongMethod !== -1) return { error: unknownMethod('each of planting_methods', methods[wrongMethod]) };
    const ranking = {
      site: this.#siteOf(site),
      species:
        codes === undefined
          ? this.#species.list.map((_, index) => index)
          : [...new Set(codes.map((code) => this.#species.indexOf(code)))],
      methods: [...new Set(methods.map((method) => PLANTING_METHODS.indexOf(method)))],
      nativeOnly: native_only,
    };
    return { ranking };
  }

  /** @param site valid */
  #siteOf(site: Pick<RankRequest, 'latitude' | 'longitude' | 'horizons'> & StatedOptions): SiteRows {
    const rows = new SiteRows(1, this.#width);
    rows.latitude[0] = site.latitude;
    rows.longitude[0] = site.longitude;
    rows.horizons[0] = site.horizons === undefined ? ALL_HORIZONS : horizonSetOf(site.horizons);
    if (!this.#options.write(site, rows, 0)) throw new Error('the options of a valid request were rejected');
    return rows.first(1); // without adjustments where there are none
  }
}

/** The reader of a generation. */
export const rankReaderOf = perGeneration(
  (generation) =>
    new RankReader(generation.artefacts, (latitude, longitude) => placeHint(generation, latitude, longitude)),
);
