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
import { READ_COLUMNS, type ReadColumn, type ReadPositions } from './input-columns.js';
import type { TableRequest } from './table-request.js';
import type { JobRows } from './table-source.js';

/** What a row states of its site, as messages show it; absent where the cell is empty or null. */
type StatedSite = { [column in ReadColumn]?: unknown };

/** Rows of a job that can be predicted for. */
interface CheckedRows {
  /** With OPTION.adjusted and adjustments where a scenario or an elevation is stated. */
  readonly rows: SiteRows;
  /** Where each is in the job, counted from 0. */
  readonly positions: Uint16Array;
}

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

  /** Reads the rows of a job that are valid. `error` says what is wrong with the others. */
  read(job: JobRows, count: number, columns: ReadPositions): CheckedRows {
    const { latitude, longitude, species_code, planting_method, elevation_m } = columns;
    const isAdjusted = elevation_m !== -1 || (this.#options & OPTION.adjusted) !== 0;
    const rows = new SiteRows(count, isAdjusted ? this.#width : 0);
    const positions = new Uint16Array(count);
    let valid = 0;
    for (let i = 0; i < count; i++) {
      const hasElevation = elevation_m !== -1 && job.hasElevation(i, elevation_m);
      const isValid = this.#write(
        rows,
        valid,
        job.number(i, latitude),
        job.number(i, longitude),
        this.#rules.species.indexOf(job.code(i, species_code)),
        PLANTING_METHODS.indexOf(job.code(i, planting_method) as PlantingMethod),
        hasElevation,
        hasElevation ? job.number(i, elevation_m) : Number.NaN,
      );
      if (isValid) positions[valid++] = i;
    }
    return valid === count
      ? { rows, positions }
      : { rows: rows.first(valid), positions: positions.slice(0, valid) };
  }

  /** Writes a row, if it can be predicted for. */
  #write(
    rows: SiteRows,
    row: number,
    latitude: number,
    longitude: number,
    species: number,
    method: number,
    hasElevation: boolean,
    elevationM: number,
  ): boolean {
    const isPlace = Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE; // not NaN
    if (!isPlace || species === -1 || method === -1) return false;
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

  /** Why a row has no prediction. @param status ROW_STATUS of its place; undefined where the row is not valid */
  error(job: JobRows, row: number, columns: ReadPositions, status: number | undefined): ErrorObject {
    const site = statedSite(job, row, columns);
    if (status !== undefined) {
      const rows = new SiteRows(1, 1);
      rows.latitude[0] = Number(site.latitude);
      rows.longitude[0] = Number(site.longitude);
      rows.adjustments[OWN_ELEVATION] = Number(site.elevation_m);
      return placeError(status, rows, 0, this.context);
    }
    const error = entryError(this.context, this.#rules.schema, site, []);
    const hasComma = [site.latitude, site.longitude, site.elevation_m].some(
      (value) => typeof value === 'string' && DECIMAL_COMMA.test(value),
    );
    const advice = hasComma ? ' Write decimals with a point, not with a comma.' : '';
    return { ...error, message: error.message + advice };
  }
}

function statedSite(job: JobRows, row: number, columns: ReadPositions): StatedSite {
  const site: StatedSite = {};
  for (const name of READ_COLUMNS) {
    const column = columns[name];
    if (column === -1 || (name === 'elevation_m' && !job.hasElevation(row, column))) continue;
    const value = job.stated(row, column, name === 'species_code' || name === 'planting_method');
    if (value !== undefined) site[name] = value;
  }
  return site;
}
