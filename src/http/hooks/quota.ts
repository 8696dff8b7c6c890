import type { FastifyInstance } from 'fastify';
import type { Accounts, DailyQuota } from '../../accounts/accounts.js';
import { isConstraintViolation } from '../../accounts/store/store-errors.js';
import { ApiError } from '../../formats/errors/api-error.js';
import { callerOf } from '../server/request-state.js';
import { INVALID_KEY } from './authentication.js';

const POLICY = '"daily"';
const WINDOW_SECONDS = 86_400;

/**
 * Counts every authenticated request of the instance's routes before its body is read, rejects those beyond the daily
 * quota of their key, and reports the quota in the response's headers.
 */
export function enforceQuota(app: FastifyInstance, accounts: Accounts): void {
  app.addHook('onRequest', async (request, reply) => {
    const admission = await accounts.admit(callerOf(request)).catch((error) => {
      if (!isConstraintViolation(error)) throw error;
      // The store lost the key after it was read, as when a backup is restored.
      request.log.warn({ reason: error.message }, 'the key store refuses to count a request of this key');
      throw INVALID_KEY;
    });
    request.state.quota = admission;
    reply.headers(rateLimitHeaders(admission));
    if (admission.admitted) return;
    const { limit, tier, resetsAtMs, secondsToReset } = admission;
    const details = { limit, tier, resets_at: new Date(resetsAtMs).toISOString() };
    const message = `The ${limit} requests a day of the ${tier} tier are used up until ${details.resets_at}.`;
    const headers = { 'retry-after': String(secondsToReset) };
    throw new ApiError({ code: 'rate_limit_exceeded', message, details }, headers);
  });

  // A failure of the service is not counted.
  app.addHook('onSend', async ({ state: { quota } }, reply) => {
    if (reply.statusCode >= 500 && quota?.admitted)
      reply.headers(rateLimitHeaders(await accounts.refund(quota)));
  });
}

/**
 * The quota of a limited tier as structured fields of draft-ietf-httpapi-ratelimit-headers: `q` the quota, `w` the
 * window in seconds, `r` the requests left, `t` the seconds to the reset. An unlimited tier has none.
 */
export function rateLimitHeaders({ limit, remaining, secondsToReset }: DailyQuota) {
  if (limit === null) return {};
  return {
    'RateLimit-Policy': `${POLICY};q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `${POLICY};r=${remaining};t=${secondsToReset}`,
  };
}
