import { SpeciesCatalogue } from '../../prediction/artefacts/species.js';
import {
  adjustmentWidth,
  OWN_ELEVATION,
  PRECIPITATION_CHANGE,
  WARMING,
} from '../../prediction/conditions/adjustments.js';
import { PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import type { ErrorObject } from '../../prediction/errors/api-error.js';
import { type GenerationData, perGeneration } from '../../prediction/per-generation.js';
import { OPTION, SiteRows } from '../../prediction/site-rows.js';
import { ELEVATION, optionRulesOf } from '../request/options.js';
import { entryError, placeError } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE, requestSchemas } from '../request/schemas.js';
import type { ReadColumn } from './columns.js';
import type { TableRequest } from './table-contract.js';

/** What a row states of its site, as messages show it; absent where the cell is empty or null. */
export type StatedSite = { -readonly [column in ReadColumn]?: unknown };

/** A decimal comma instead of a point. */
const DECIMAL_COMMA = /^\s*[+-]?\d+,\d+\s*$/;

/** What rows are checked against: made once of a context. */
const rulesOf = perGeneration(({ artefacts }: GenerationData) => {
  const rules = optionRulesOf(artefacts);
  return {
    species: new SpeciesCatalogue(artefacts.species),
    schema: requestSchemas(rules).prediction,
    hasLapseRates: rules.hasLapseRates,
  };
});

/** Checks rows like entries of a batch. */
export class RowChecks {
  readonly #rules: ReturnType<typeof rulesOf>;
  readonly #options: number;
  readonly #width: number;
  /** NaN where not stated. */
  readonly #warmingC: number;
  readonly #precipitationChange: number;

  constructor(
    private readonly context: GenerationData,
    private readonly request: TableRequest,
  ) {
    const { warming_c = Number.NaN, precipitation_change_percent = Number.NaN } = request.scenario;
    this.#rules = rulesOf(context);
    this.#width = adjustmentWidth(context.artefacts.manifest);
    this.#warmingC = warming_c;
    this.#precipitationChange = precipitation_change_percent;
    this.#options =
      (request.intervals ? OPTION.intervals : 0) |
      (Number.isNaN(warming_c) && Number.isNaN(precipitation_change_percent) ? 0 : OPTION.adjusted);
  }

  /** Rows to write to. @param hasElevations whether any may state its own elevation */
  rows(count: number, hasElevations: boolean): SiteRows {
    const isAdjusted = hasElevations || (this.#options & OPTION.adjusted) !== 0;
    return new SiteRows(count, isAdjusted ? this.#width : 0);
  }

  /** The index of a species by its code, or -1. */
  speciesOf(code: string): number {
    return this.#rules.species.indexOf(code);
  }

  /** The index of a planting method by its name, or -1. */
  methodOf(name: string): number {
    return PLANTING_METHODS.indexOf(name as PlantingMethod);
  }

  /**
   * Writes a row.
   * @param latitude NaN where it is not a number, as the longitude
   * @param species -1 for none, as the method
   * @param elevationM NaN where none is stated, infinite where it is not a number
   * @returns whether it can be predicted for; if not, `error` tells why
   */
  write(
    rows: SiteRows,
    row: number,
    latitude: number,
    longitude: number,
    species: number,
    method: number,
    elevationM: number,
  ): boolean {
    const isPlace = Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE; // not NaN
    if (!isPlace || species === -1 || method === -1) return false;
    const hasElevation = !Number.isNaN(elevationM);
    if (hasElevation) {
      const isWithin = elevationM >= ELEVATION.minimum && elevationM <= ELEVATION.maximum;
      if (!isWithin || !this.#rules.hasLapseRates) return false;
    }
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.species[row] = species;
    rows.method[row] = method;
    rows.horizons[row] = this.request.horizons;
    rows.options[row] = this.#options | (hasElevation ? OPTION.adjusted : 0);
    if (rows.width > 0) this.#adjust(rows, row, elevationM);
    return true;
  }

  #adjust({ adjustments, width }: SiteRows, row: number, elevationM: number): void {
    const first = row * width;
    adjustments.fill(Number.NaN, first, first + width);
    adjustments[first + OWN_ELEVATION] = elevationM;
    adjustments[first + WARMING] = this.#warmingC;
    adjustments[first + PRECIPITATION_CHANGE] = this.#precipitationChange;
  }

  /** What is wrong with a row that could not be written. */
  error(site: StatedSite): ErrorObject {
    const error = entryError(this.context, this.#rules.schema, site, []);
    const hasComma = [site.latitude, site.longitude, site.elevation_m].some(
      (value) => typeof value === 'string' && DECIMAL_COMMA.test(value),
    );
    const advice = hasComma ? ' Write decimals with a point, not with a comma.' : '';
    return { ...error, message: error.message + advice };
  }

  /** Why there is no answer for the place of a row. @param status ROW_STATUS */
  placeError(status: number, site: StatedSite): ErrorObject {
    const rows = new SiteRows(1, 1);
    rows.latitude[0] = Number(site.latitude);
    rows.longitude[0] = Number(site.longitude);
    rows.adjustments[OWN_ELEVATION] = Number(site.elevation_m);
    return placeError(status, rows, 0, this.context);
  }
}
