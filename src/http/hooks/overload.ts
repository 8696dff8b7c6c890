import type { FastifyInstance } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import { QUEUE_FULL } from '../errors/work-errors.js';
import { ANSWER_HEADERS } from '../response/default-headers.js';
import type { Services } from '../services.js';
import { isLast } from './final-response.js';

const BODY = JSON.stringify({ error: QUEUE_FULL.error });
const HEADERS = Object.entries({
  ...QUEUE_FULL.headers,
  ...ANSWER_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(BODY)),
}).flat();

/** Refuses a batch that would find no place before its body is read: in a flood the reading would be most of the work. */
export function refuseExcess(app: FastifyInstance, { turnstile }: Services): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (turnstile.isShutTo(request.state.caller!.id)) done(QUEUE_FULL);
    else done();
  });
}

/**
 * The same on the shortest way, past Fastify's reply and its hooks and before the request is counted. In a flood nine of
 * ten batches are refused, so what a refusal costs decides how many are answered. Not for limited tiers, who are told
 * their quota in every answer, nor where the answer ends its connection.
 */
export function turnAwayExcess(app: FastifyInstance, { turnstile, phase }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, tier } = request.state.caller!;
    const isUnlimited = TIERS[tier].requestsPerDay === null;
    if (!isUnlimited || !turnstile.isShutTo(id) || phase.current === 'draining' || isLast(reply)) {
      done();
    } else {
      reply.hijack();
      reply.raw.writeHead(QUEUE_FULL.status, ['x-request-id', request.id, ...HEADERS]).end(BODY);
    }
  });
}
