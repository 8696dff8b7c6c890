import { assumptions, conditions, elevationM, optionsOf, site } from '../state/choices.js';

/** The body of a request for the chosen site, without species. */
export function siteRequest(): Record<string, unknown> {
  return {
    ...site.value,
    ...(elevationM.value === null ? {} : { elevation_m: elevationM.value }),
    ...optionsOf(assumptions(), conditions.value),
  };
}
