import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import { addTo } from '../../work/admission.js';
import { QUEUE_FULL, renderError } from '../errors.js';
import type { RouteContext } from '../routes/context.js';
import { connectionOf } from '../server/connection.js';
import { callerOf } from '../server/request-state.js';

const { status, headers, body } = renderError(QUEUE_FULL);
const HEADERS = Object.entries(headers).flat();

/** Bytes of a typical entry of a batch, to estimate how many a body has. */
const BYTES_PER_SITE = 96;

/** Makes a hook that counts the sites of a batch as arriving until `endArrival`. */
export function countArriving({ arriving }: RouteContext): onRequestHookHandler {
  return (request, reply, done) => {
    const { id, tier } = callerOf(request);
    const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    const sites = Math.min(Math.ceil(bytes / BYTES_PER_SITE), TIERS[tier].sitesPerBatch);
    // The caller may have disconnected while the store counted the request.
    if (!reply.raw.closed) {
      addTo(arriving, id, sites);
      // Not a function that ends the count: such closures kept bodies alive until a full garbage collection.
      request.state.arrivingSites = sites;
    }
    done();
  };
}

/** Counts the sites of a request no longer as arriving. */
export function endArrival({ arriving }: RouteContext, request: FastifyRequest): void {
  const { arrivingSites = 0 } = request.state;
  if (arrivingSites === 0) return;
  addTo(arriving, callerOf(request).id, -arrivingSites);
  request.state.arrivingSites = 0;
}

/**
 * Rejects batches, tables and plans before they are counted if the queue is full. Under overload nine of ten are rejected,
 * so the cost of a rejection decides how many are answered: this hook bypasses Fastify's reply and hooks. It leaves to
 * `rejectCounted` the requests of limited tiers, whose responses state the quota, those from pages of other origins, those
 * that end their connection, and all requests while the service drains.
 */
export function rejectUncounted(app: FastifyInstance, context: RouteContext): void {
  const { phase } = context;
  app.addHook('onRequest', (request, reply, done) => {
    if (
      TIERS[callerOf(request).tier].requestsPerDay !== null ||
      !wouldReject(request, context) ||
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

/** Rejects the other batches, tables and plans if the queue is full, before their bodies are read. */
export function rejectCounted(app: FastifyInstance, context: RouteContext): void {
  app.addHook('onRequest', (request, _reply, done) =>
    done(wouldReject(request, context) ? QUEUE_FULL : undefined),
  );
}

function wouldReject(request: FastifyRequest, { serving, arriving }: RouteContext): boolean {
  return serving.current.batches.wouldReject(callerOf(request).id, arriving);
}
