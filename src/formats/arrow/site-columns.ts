import { type Data, DataType } from 'apache-arrow';
import type { ReadColumn, ReadPositions } from '../table/columns.js';
import type { RowChecks, StatedSite } from '../table/row-checks.js';
import { fromLatin1 } from '../text/latin1.js';
import { cellsOf, isValid, numbersOf } from './cells.js';

/** The columns of a batch that state its sites. */
export class SiteColumns {
  readonly latitude: (row: number) => number;
  readonly longitude: (row: number) => number;
  /** The index of a row's species, or -1. */
  readonly species: (row: number) => number;
  /** The index of a row's planting method, or -1. */
  readonly method: (row: number) => number;
  readonly #elevation: Data | undefined;
  readonly #elevationNumber: (row: number) => number;

  constructor(
    private readonly columns: readonly Data[],
    private readonly positions: ReadPositions,
    checks: RowChecks,
  ) {
    const { latitude, longitude, species_code, planting_method, elevation_m } = positions;
    this.latitude = numbersOf(columns[latitude]);
    this.longitude = numbersOf(columns[longitude]);
    this.species = codes(columns[species_code], (code) => checks.speciesOf(code));
    this.method = codes(columns[planting_method], (name) => checks.methodOf(name));
    this.#elevation = elevation_m === -1 ? undefined : columns[elevation_m];
    this.#elevationNumber = this.#elevation === undefined ? () => Number.NaN : numbersOf(this.#elevation);
  }

  /** In metres; NaN where none is stated, infinite where it is not a number. */
  elevationM(row: number): number {
    if (this.#elevation === undefined || !isValid(this.#elevation, row)) return Number.NaN;
    const elevationM = this.#elevationNumber(row);
    return Number.isNaN(elevationM) ? Number.POSITIVE_INFINITY : elevationM;
  }

  stated(row: number): StatedSite {
    const site: StatedSite = {};
    for (const [column, position] of Object.entries(this.positions) as [ReadColumn, number][]) {
      const data = position === -1 ? undefined : this.columns[position];
      if (data === undefined || !isValid(data, row)) continue;
      if (column === 'species_code' || column === 'planting_method') {
        const text = cellsOf(data).text(row);
        if (text !== null) site[column] = fromLatin1(text);
      } else site[column] = numbersOf(data)(row);
    }
    return site;
  }
}

/** Dictionaries with more values are not looked up in advance. */
const MAX_LOOKED_UP = 1000;

function codes(data: Data, codeOf: (text: string) => number): (row: number) => number {
  const { text } = cellsOf(data);
  const { dictionary, values } = data;
  if (!DataType.isDictionary(data.type) || dictionary === undefined || dictionary.length > MAX_LOOKED_UP)
    return (row) => codeOf(text(row) ?? '');
  const ofIndex = dictionary.data.flatMap((part) => {
    const cells = cellsOf(part);
    return Array.from({ length: part.length }, (_, index) => codeOf(cells.text(index) ?? ''));
  });
  return (row) => (isValid(data, row) ? ofIndex[Number(values[row])] : -1);
}
