import { conditions, elevationM, scenario, site } from '../state/choices.js';

/** The body of a request for the chosen site, without species. */
export function siteRequest(): Record<string, unknown> {
  const own = scenario();
  return {
    ...site.value,
    ...(elevationM.value === null ? {} : { elevation_m: elevationM.value }),
    ...(Object.keys(conditions.value).length === 0 ? {} : { conditions: conditions.value }),
    ...(own === undefined ? {} : { scenario: own }),
  };
}
