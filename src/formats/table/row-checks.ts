import { PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import type { ErrorObject } from '../../prediction/errors/api-error.js';
import { perGeneration } from '../../prediction/per-generation.js';
import type { PredictorData } from '../../prediction/predictor.js';
import { OPTION, SiteRows } from '../../prediction/site-rows.js';
import {
  adjustmentsFor,
  assumptionsOf,
  ELEVATION,
  isWithin,
  type OptionNumber,
  writeNumber,
} from '../request/option-numbers.js';
import { hasLapseRates } from '../request/options.js';
import { speciesOf } from '../request/places.js';
import { entryError } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE, requestSchemas } from '../request/schemas.js';
import { isOptional, READ_COLUMNS, type ReadColumn, type ReadPositions } from './input-columns.js';
import type { TableRequest } from './table-request.js';
import type { ChunkRows } from './table-source.js';

/** A decimal comma instead of a point. */
const DECIMAL_COMMA = /^\s*[+-]?\d+,\d+\s*$/;

/** What rows are checked against. */
const rulesOf = perGeneration((data: PredictorData) => {
  const { prediction, assumptions } = requestSchemas(data);
  // Another model may lack a feature of practice: its column is then one of the caller's own.
  const practice = assumptionsOf(data).filter(({ name }) => isOptional(name));
  return {
    schema: prediction.extend(assumptions),
    numbers: [ELEVATION, ...practice],
    canMove: hasLapseRates(data),
  };
});

/** Checks rows like entries of a batch. */
export class RowChecks {
  readonly #rules: ReturnType<typeof rulesOf>;
  readonly #species: ReturnType<typeof speciesOf>;
  readonly #options: number;
  /** The optional columns that the table has. */
  readonly #numbers: readonly OptionNumber[];
  /** The adjustments of a row that states nothing of its own. */
  readonly #assumed: Float64Array;

  constructor(
    private readonly data: PredictorData,
    private readonly request: TableRequest,
    private readonly columns: ReadPositions,
  ) {
    this.#rules = rulesOf(data);
    this.#species = speciesOf(data);
    this.#numbers = this.#rules.numbers.filter(({ name }) => columns[name as ReadColumn] !== -1);
    this.#assumed = adjustmentsFor(request.assumed, data);
    this.#options =
      (request.intervals ? OPTION.intervals : 0) | (this.#assumed.every(Number.isNaN) ? 0 : OPTION.adjusted);
  }

  /**
   * Reads the rows of a chunk. The latitude of one that is not valid is NaN, which lies nowhere: `error` says what is
   * wrong with it.
   */
  read(chunk: ChunkRows): SiteRows {
    const { count } = chunk.chunk;
    const isAdjusted = this.#numbers.length > 0 || (this.#options & OPTION.adjusted) !== 0;
    const rows = new SiteRows(count, isAdjusted ? this.#assumed.length : 0);
    rows.horizons.fill(this.request.horizons);
    rows.options.fill(this.#options);
    for (let row = 0; row < count; row++) if (!this.#write(rows, row, chunk)) rows.latitude[row] = Number.NaN;
    return rows;
  }

  /** @returns whether the row is valid */
  #write(rows: SiteRows, row: number, chunk: ChunkRows): boolean {
    const { columns } = this;
    const latitude = chunk.number(row, columns.latitude) ?? Number.NaN;
    const longitude = chunk.number(row, columns.longitude) ?? Number.NaN;
    const species = this.#species.indexOf(chunk.text(row, columns.species_code) ?? '');
    const method = PLANTING_METHODS.indexOf(chunk.text(row, columns.planting_method) as PlantingMethod);
    const isPlace = Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE; // not NaN
    if (!isPlace || species === -1 || method === -1) return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.species[row] = species;
    rows.method[row] = method;
    if (rows.width === 0) return true;
    rows.adjustments.set(this.#assumed, row * rows.width);
    for (const number of this.#numbers) {
      const value = chunk.number(row, columns[number.name as ReadColumn]);
      if (value === undefined) continue;
      if (!isWithin(value, number) || (number === ELEVATION && !this.#rules.canMove)) return false;
      writeNumber(rows, row, number, value);
    }
    return true;
  }

  /** What is wrong with a row that is not valid. */
  error(chunk: ChunkRows, row: number): ErrorObject {
    const site: Partial<Record<ReadColumn, unknown>> = {}; // without empty cells
    for (const name of READ_COLUMNS) {
      const column = this.columns[name];
      if (column === -1 || (isOptional(name) && chunk.number(row, column) === undefined)) continue;
      const value = chunk.stated(row, column, name === 'species_code' || name === 'planting_method');
      if (value !== undefined) site[name] = value;
    }
    const error = entryError(this.data, this.#rules.schema, site);
    const hasComma = Object.values(site).some(
      (value) => typeof value === 'string' && DECIMAL_COMMA.test(value),
    );
    const advice = hasComma ? ' Write decimals with a point, not with a comma.' : '';
    return { ...error, message: error.message + advice };
  }
}
