import { PLANTING_METHODS, type PlantingMethod } from '../../prediction/dimensions.js';
import { memoize, type PredictorData } from '../../prediction/predictor-data.js';
import { OPTION, SiteRows } from '../../prediction/site-rows.js';
import type { ErrorObject } from '../errors/api-error.js';
import {
  adjustmentsFor,
  assumptionsOf,
  ELEVATION,
  isInRange,
  setAdjustment,
} from '../request/option-numbers.js';
import { hasLapseRates } from '../request/options.js';
import { speciesOf } from '../request/places.js';
import { entryError } from '../request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE, requestSchemas } from '../request/schemas.js';
import { isOptional, READ_COLUMNS, type ReadColumn, type ReadPositions } from './input-columns.js';
import type { TableRequest } from './table-request.js';
import type { ChunkRows } from './table-source.js';

/** What rows are checked against. */
const rowRules = memoize((data: PredictorData) => {
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
export function rowChecks(data: PredictorData, request: TableRequest, columns: ReadPositions) {
  const { schema, numbers, canMove } = rowRules(data);
  const catalogue = speciesOf(data);
  /** The optional columns that the table has. */
  const given = numbers.filter(({ name }) => columns[name as ReadColumn] !== -1);
  /** The adjustments of a row that states nothing of its own. */
  const assumed = adjustmentsFor(request.assumed, data);
  const isAssumed = !assumed.every(Number.isNaN);
  const width = given.length > 0 || isAssumed ? assumed.length : 0;
  const options = (request.intervals ? OPTION.intervals : 0) | (isAssumed ? OPTION.adjusted : 0);

  /** @returns whether the row is valid */
  const write = (rows: SiteRows, row: number, chunk: ChunkRows): boolean => {
    const latitude = chunk.number(row, columns.latitude) ?? Number.NaN;
    const longitude = chunk.number(row, columns.longitude) ?? Number.NaN;
    const species = catalogue.indexOf(chunk.text(row, columns.species_code) ?? '');
    const method = PLANTING_METHODS.indexOf(chunk.text(row, columns.planting_method) as PlantingMethod);
    const isPlace = Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE; // not NaN
    if (!isPlace || species === -1 || method === -1) return false;
    rows.latitude[row] = latitude;
    rows.longitude[row] = longitude;
    rows.species[row] = species;
    rows.method[row] = method;
    if (width > 0) rows.adjustments.set(assumed, row * width);
    for (const number of given) {
      const value = chunk.number(row, columns[number.name as ReadColumn]);
      if (value === undefined) continue;
      if (!isInRange(value, number) || (number === ELEVATION && !canMove)) return false;
      setAdjustment(rows, row, number, value);
    }
    return true;
  };

  return {
    /** Reads the rows of a chunk. An invalid row gets the latitude NaN, which matches no place. */
    read(chunk: ChunkRows): SiteRows {
      const { count } = chunk.chunk;
      const rows = new SiteRows(count, width);
      rows.horizons.fill(request.horizons);
      rows.options.fill(options);
      for (let row = 0; row < count; row++) if (!write(rows, row, chunk)) rows.latitude[row] = Number.NaN;
      return rows;
    },
    /** What is wrong with a row that is not valid. */
    error(chunk: ChunkRows, row: number): ErrorObject {
      const site: Partial<Record<ReadColumn, unknown>> = {}; // without empty cells
      for (const name of READ_COLUMNS) {
        const column = columns[name];
        if (column === -1 || (isOptional(name) && chunk.number(row, column) === undefined)) continue;
        const value = chunk.stated(row, column, name === 'species_code' || name === 'planting_method');
        if (value !== undefined) site[name] = value;
      }
      return entryError(data, schema, site);
    },
  };
}
