import { show } from '../errors/shown-value.js';
import { OUTPUT_NAMES } from './output-columns.js';
import { tableError } from './table-request.js';

const REQUIRED_COLUMNS = ['latitude', 'longitude', 'species_code', 'planting_method'] as const;

/** The columns of numbers that a table may lack, and a row may leave empty. */
const OPTIONAL_COLUMNS = ['elevation_m', 'vegetation_control', 'overstory_cover', 'seeds_per_spot'] as const;

export const READ_COLUMNS = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS] as const;

export function isOptional(column: string): boolean {
  return (OPTIONAL_COLUMNS as readonly string[]).includes(column);
}

export type ReadColumn = (typeof READ_COLUMNS)[number];

/** Where each column that is read is among the columns of a table; -1 for an optional one that is absent. */
export type ReadPositions = Readonly<Record<ReadColumn, number>>;

export const MAX_COLUMNS = 1000;

/** Most bytes of the names of all columns: JSON lines repeat them in every row. */
const MAX_NAME_BYTES = 32 * 1024;

const SHOWN_NAMES = 10;

/** @throws ApiError invalid_request where the names of all columns have too many bytes */
export function checkNameBytes(bytes: number): void {
  if (bytes > MAX_NAME_BYTES)
    throw tableError(
      `the names of its columns have ${bytes} bytes, and may have at most ${MAX_NAME_BYTES} together`,
    );
}

/** @throws ApiError invalid_request for columns that are missing, doubled, too many, or named like ours */
export function readPositions(names: readonly string[]): ReadPositions {
  if (names.length > MAX_COLUMNS)
    throw tableError(`it has ${names.length} columns, and may have at most ${MAX_COLUMNS}`);
  checkNameBytes(names.reduce((sum, name) => sum + Buffer.byteLength(name), 0));
  const missing = REQUIRED_COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const shown = names.slice(0, SHOWN_NAMES).map(show).join(', ');
    const more = names.length > SHOWN_NAMES ? `, and ${names.length - SHOWN_NAMES} more` : '';
    const what = `column${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`;
    const others = names.length === 0 ? 'it has no columns' : `its columns are ${shown}${more}`;
    throw tableError(`it has no ${what}; ${others}`, missing[0]);
  }
  const second = names.findIndex((name, position) => names.indexOf(name) < position);
  if (second !== -1) {
    const name = names[second];
    const both = `columns ${names.indexOf(name) + 1} and ${second + 1}`;
    throw tableError(`${both} are both named ${show(name)}: rename or remove one`, name);
  }
  const ours = names.find((name) => OUTPUT_NAMES.has(name));
  if (ours !== undefined)
    throw tableError(`its column ${ours} has the name of a column of the answer: rename or remove it`, ours);
  return Object.fromEntries(READ_COLUMNS.map((name) => [name, names.indexOf(name)])) as ReadPositions;
}
