import { usage } from '../state/catalogues.js';

/** Rows of a table or units of a plan per request, by tier. Hypha allows more rows; fewer give finer progress. */
const BATCH_SIZES = { spore: 10, mycel: 100, hypha: 2000 };

/** Rows or units per request for the key's tier; those of the smallest tier until it is known. */
export const batchSize = () => BATCH_SIZES[usage.peek()?.tier ?? 'spore'];
