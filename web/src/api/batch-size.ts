import { usage } from '../state/catalogues.js';

/** Rows of a table or units of a plan in a request, by tier; hypha could have more rows, but progress would be rough. */
const SITES = { spore: 10, mycel: 100, hypha: 2000 };

/** How many sites the key may ask for in one request; those of the smallest tier until its tier is known. */
export const batchSize = () => SITES[usage.peek()?.tier ?? 'spore'];
