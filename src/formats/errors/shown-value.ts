import { redactKeys } from '../../output/printable.js';

const SHOWN_CHARACTERS = 40;

/** A caller's value as an error message shows it: JSON, truncated, with API keys redacted. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value); // JSON.parse reads 1e999 as Infinity
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return JSON.stringify(value);
  const shown = JSON.stringify(redactKeys(value.slice(0, SHOWN_CHARACTERS)));
  return value.length > SHOWN_CHARACTERS ? `${shown}... (${value.length} characters)` : shown;
}

/** Characters of a path that an error repeats. */
const SHOWN_PATH_CHARACTERS = 100;

/** A path that has a caller's names, as an error repeats it: cut, with API keys redacted. */
export function shownPath(path: string): string {
  // Cut before the search for keys, to bound it, and after: the second cut removes what the first left of a key.
  return redactKeys(path.slice(0, 2 * SHOWN_PATH_CHARACTERS)).slice(0, SHOWN_PATH_CHARACTERS);
}

/** How many wrong elements of an array, or wrong keys of an object, a message shows. */
export const SHOWN_ELEMENTS = 5;

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** `2, 10 or 20`, the first few of many. */
export function showAll(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_ELEMENTS).map(show);
  const more = values.length - shown.length;
  return ALTERNATIVES.format(more === 0 ? shown : [...shown, `${more} more`]);
}
