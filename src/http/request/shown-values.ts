import { show } from '../errors/api-error.js';

/** How many wrong elements of an array, or wrong keys of an object, a message shows. */
export const SHOWN_ELEMENTS = 5;

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** `2, 10 or 20`, the first few of many. */
export function showAll(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_ELEMENTS).map(show);
  const more = values.length - shown.length;
  return ALTERNATIVES.format(more === 0 ? shown : [...shown, `${more} more`]);
}
