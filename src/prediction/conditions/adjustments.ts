import type { Manifest } from '../artefacts/manifest.js';

/*
 * What a request states of its site in place of the grid's values, as numbers one after the other: the columns of a row.
 * NaN stands for what is not stated.
 */
/** The site's own elevation, m. */
export const OWN_ELEVATION = 0;
/** The warming of a scenario, degrees Celsius. */
export const WARMING = 1;
/** The change of precipitation of a scenario, percent. */
export const PRECIPITATION_CHANGE = 2;
/** The first of the measured conditions: a value for each feature, in its unit. */
export const CONDITIONS = 3;

/** How many numbers a row has. */
export function adjustmentWidth({ features }: Pick<Manifest, 'features'>): number {
  return CONDITIONS + features.length;
}

/** The farthest that a site's own elevation may be from its matched point's, m. */
export const MAX_RISE_M = 1000;
