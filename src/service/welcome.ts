import type { IssuedKey } from '../accounts/key-administration.js';

/** A request to try the service with. */
const EXAMPLE_REQUEST = {
  latitude: 44.12,
  longitude: -122.03,
  species_code: 'PSME',
  planting_method: 'manual',
};

/** What a newcomer reads at the first start: the key, told this once, and a line that works as printed. */
export function welcome(apiUrl: string, { secret }: IssuedKey): string {
  return `
nurselog is ready on ${apiUrl} (its documentation: ${apiUrl}/docs).

Your first API key, tier hypha. It is shown only this once:

  ${secret}

Try it:

  curl -s ${apiUrl}/v1/predict -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' -d '${JSON.stringify(EXAMPLE_REQUEST)}'

`;
}
