import type { FastifyInstance } from 'fastify';
import type { Accounts, Admission } from '../../accounts/accounts.js';
import type { ServicePhase } from '../../service/service-phase.js';
import { ApiError } from '../errors/api-error.js';
import { retryLater } from '../errors/error-replies.js';
import { rateLimitHeaders } from './rate-limit-headers.js';

/** Settles whose every request of the instance's routes is. */
export function useCallers(app: FastifyInstance, accounts: Accounts, phase: ServicePhase): void {
  app.addHook('onRequest', async (request) => {
    if (phase.current === 'starting')
      throw retryLater('unavailable', 'The service is starting: try again shortly.');

    const secret = request.headers['x-api-key'];
    const authentication = await accounts.authenticate(typeof secret === 'string' ? secret : undefined);
    if (authentication.kind === 'invalid') throw invalidKey(secret);
    request.state.caller = authentication.key;
    if (authentication.kind === 'inactive') throw inactiveKey();
  });
}

/** Counts every request of the instance's routes, before its body is read; none beyond its key's quota. */
export function useQuota(app: FastifyInstance, accounts: Accounts): void {
  app.addHook('onRequest', async (request) => {
    request.state.admission = await accounts.admit(request.state.caller!);
    if (!request.state.admission.admitted) throw quotaReached(request.state.admission);
  });

  app.addHook('onSend', async (request, reply) => {
    let { admission } = request.state;
    if (admission === undefined) return;
    // What fails on our side is not counted.
    if (reply.statusCode >= 500 && admission.admitted) admission = await accounts.refund(admission);
    request.state.admission = admission;
    reply.headers(rateLimitHeaders(admission));
  });
}

function invalidKey(secret: unknown): ApiError {
  const message =
    secret === undefined
      ? 'The X-API-Key header is missing: send your API key in it.'
      : 'The API key in X-API-Key is not valid: it is malformed, unknown, or was revoked or rotated.';
  return new ApiError({ code: 'invalid_api_key', message });
}

function inactiveKey(): ApiError {
  return new ApiError({
    code: 'key_inactive',
    message: 'This API key is deactivated: ask for it to be activated.',
  });
}

function quotaReached({ limit, tier, resetsAtMs, secondsToReset }: Admission): ApiError {
  const resetsAt = new Date(resetsAtMs).toISOString();
  return new ApiError(
    {
      code: 'rate_limit_exceeded',
      message: `The ${limit} requests a day of the ${tier} tier are used up until ${resetsAt}.`,
      details: { limit, tier, resets_at: resetsAt },
    },
    { 'retry-after': String(secondsToReset) },
  );
}
