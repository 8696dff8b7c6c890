import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../accounts/accounts.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { INVALID_KEY, MISSING_KEY, retryLater } from '../errors.js';
import type { CurrentPhase } from '../phase.js';

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
