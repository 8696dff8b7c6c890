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

/** Rejects a batch, table or plan before its body is read where the queue is full: reading it is most of the work. */
export function rejectOverload(app: FastifyInstance, serving: Serving): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (serving.current.batches.wouldReject(callerOf(request).id)) done(QUEUE_FULL);
    else done();
  });
}

/**
 * Does the same before the request is counted, without Fastify's reply and hooks. Under overload nine of ten batches are
 * rejected, so that the cost of a rejection decides how many are answered. Limited tiers, whose responses have the quota,
 * pages of other origins and responses that end their connection are left to `rejectOverload`.
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
