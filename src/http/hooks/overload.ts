import type { FastifyInstance } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import type { ServicePhase } from '../../service/service-phase.js';
import { QUEUE_FULL } from '../errors/work-errors.js';
import { ANSWER_HEADERS } from '../response/default-headers.js';
import type { Serving } from '../serving.js';
import { isLast } from './final-response.js';

const BODY = JSON.stringify({ error: QUEUE_FULL.error });
const HEADERS = Object.entries({
  ...QUEUE_FULL.headers,
  ...ANSWER_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(BODY)),
}).flat();

/** Rejects a batch that the full queue would not take before its body is read, which would be most of the work. */
export function rejectOverload(app: FastifyInstance, serving: Serving): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (serving.current.batches.wouldReject(request.state.caller!.id)) done(QUEUE_FULL);
    else done();
  });
}

/**
 * The same on the shortest way, past Fastify's reply and its hooks and before the request is counted. Under overload
 * nine of ten batches are rejected, so what a rejection costs decides how many are answered. Not for limited tiers, whose
 * quota is in every response, nor where the response ends its connection.
 */
export function rejectOverloadUncounted(app: FastifyInstance, serving: Serving, phase: ServicePhase): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, tier } = request.state.caller!;
    const isUnlimited = TIERS[tier].requestsPerDay === null;
    if (
      !isUnlimited ||
      !serving.current.batches.wouldReject(id) ||
      phase.current === 'draining' ||
      isLast(reply)
    ) {
      done();
    } else {
      reply.hijack();
      reply.raw.writeHead(QUEUE_FULL.status, ['x-request-id', request.id, ...HEADERS]).end(BODY);
    }
  });
}
