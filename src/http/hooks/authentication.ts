import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../accounts/accounts.js';
import { ApiError } from '../../formats/errors/api-error.js';
import { retryLater } from '../errors.js';
import type { CurrentPhase } from '../phase.js';

/** The challenge of RFC 9110, 11.6.1: no registered scheme sends a bare key in a header of its own. */
const CHALLENGE = { 'www-authenticate': 'ApiKey realm="nurselog", header="X-API-Key"' };

const keyError = (message: string) => new ApiError({ code: 'invalid_api_key', message }, CHALLENGE);

const MISSING_KEY = keyError('The X-API-Key header is missing: send your API key in it.');
export const INVALID_KEY = keyError(
  'The API key in X-API-Key is not valid: it is malformed, unknown, or was revoked or rotated.',
);

/** Authenticates every request of the instance's routes by its API key. */
export function authenticateRequests(app: FastifyInstance, accounts: Accounts, phase: CurrentPhase): void {
  app.addHook('onRequest', async (request) => {
    if (phase.current === 'starting')
      throw retryLater('unavailable', 'The service is starting: try again shortly.');

    const secret = request.headers['x-api-key'];
    const key = await accounts.authenticate(typeof secret === 'string' ? secret : undefined);
    if (key === undefined) throw secret === undefined ? MISSING_KEY : INVALID_KEY;
    request.state.caller = key;
    const message = 'This API key is deactivated: ask for it to be activated.';
    if (key.state === 'deactivated') throw new ApiError({ code: 'key_inactive', message });
  });
}
