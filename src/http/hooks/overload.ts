import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import { addTo } from '../../work/admission.js';
import { QUEUE_FULL, renderError } from '../errors.js';
import type { ApiDependencies } from '../routes/context.js';
import { connectionOf } from '../server/connection.js';
import { callerOf } from '../server/request-state.js';
import { enforceQuota } from './quota.js';

const { status, headers, body } = renderError(QUEUE_FULL);
const HEADERS = Object.entries(headers).flat();

/** Bytes of a typical entry of a batch, to estimate how many a body has. */
const BYTES_PER_SITE = 96;

/**
 * The sites of batches whose bodies are arriving, by key and by the lengths of the bodies. If only those that wait were
 * counted, the queue would have room for every batch whose head arrives before the bodies of the others, and most bodies
 * would be read to be rejected.
 */
export type ArrivingSites = Map<string, number>;

/** A hook of the route: counts a batch until its `endArrival`. */
export function countArriving(arriving: ArrivingSites): onRequestHookHandler {
  return (request, reply, done) => {
    const { id, tier } = callerOf(request);
    const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    const sites = Math.min(Math.ceil(bytes / BYTES_PER_SITE), TIERS[tier].sitesPerBatch);
    // Its caller may have disconnected while it was counted in the store.
    if (!reply.raw.closed) {
      addTo(arriving, id, sites);
      request.state.endArrival = () => {
        addTo(arriving, id, -sites);
        request.state.endArrival = undefined;
      };
    }
    done();
  };
}

/**
 * Enforces the quota of batches, tables and plans, and rejects them before their bodies, which are most of the work,
 * are read if the queue is full. Under overload nine of ten are rejected, so the cost of a rejection decides how many
 * are answered. Most are rejected before they are counted, without Fastify's reply and hooks. Those of limited tiers,
 * whose responses have the quota, of pages of other origins and those that end their connection are rejected later.
 */
export function rejectOverload(
  app: FastifyInstance,
  { serving, phase, accounts }: ApiDependencies,
  arriving: ArrivingSites,
): void {
  const wouldReject = (request: FastifyRequest) =>
    serving.current.batches.wouldReject(callerOf(request).id, arriving);
  app.addHook('onRequest', (request, reply, done) => {
    if (
      TIERS[callerOf(request).tier].requestsPerDay !== null ||
      !wouldReject(request) ||
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
  enforceQuota(app, accounts);
  app.addHook('onRequest', (request, _reply, done) => done(wouldReject(request) ? QUEUE_FULL : undefined));
}
