import type { FastifyInstance } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import type { Serving } from '../../work/generation.js';
import { QUEUE_FULL } from '../errors/common-errors.js';
import type { CurrentPhase } from '../response/catalogue-schemas.js';
import { renderError } from '../response/error-response.js';
import { connectionOf } from '../server/connection.js';
import { callerOf } from '../server/request-state.js';

const { status, headers, body } = renderError(QUEUE_FULL);
const HEADERS = Object.entries(headers).flat();

/**
 * Rejects a batch, table or plan that the full queue would not take before its body is read, which would be most of the work.
 */
export function rejectOverload(app: FastifyInstance, serving: Serving): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (serving.current.batches.wouldReject(callerOf(request).id)) done(QUEUE_FULL);
    else done();
  });
}

/**
 * The same on the shortest way, past Fastify's reply and its hooks and before the request is counted. Under overload
 * nine of ten batches are rejected, so what a rejection costs decides how many are answered. Not for limited tiers, whose
 * quota is in every response, nor for pages of other origins, nor where the response ends its connection.
 */
export function rejectOverloadUncounted(app: FastifyInstance, serving: Serving, phase: CurrentPhase): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, tier } = callerOf(request);
    const isUnlimited = TIERS[tier].requestsPerDay === null;
    if (
      !isUnlimited ||
      !serving.current.batches.wouldReject(id) ||
      phase.current === 'draining' ||
      request.headers.origin !== undefined ||
      !reply.raw.shouldKeepAlive || // as the caller asked
      connectionOf(request.raw).isAwaitingContinue
    ) {
      done();
    } else {
      reply.hijack();
      reply.raw.writeHead(status, ['x-request-id', request.id, ...HEADERS]).end(body);
    }
  });
}
