import type { FastifyInstance } from 'fastify';
import { TIERS } from '../accounts/tiers.js';
import { isLast } from './last-answer.js';
import type { Services } from './services.js';
import { QUEUE_FULL } from './work-errors.js';

const BODY = JSON.stringify({ error: QUEUE_FULL.error });
const HEADERS = Object.entries({
  ...QUEUE_FULL.headers,
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(BODY)),
}).flat();

/**
 * Refuses a batch that would find no place, before it is counted or read. In a flood nine of ten are refused, so what a
 * refusal costs decides how many are answered: it goes the shortest way, past Fastify's reply and its hooks.
 */
export function turnAwayExcess(app: FastifyInstance, { turnstile, phase }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, tier } = request.state.caller!;
    // A caller of a limited tier is told its quota in every answer, and has none to flood with.
    if (TIERS[tier].requestsPerDay !== null || !turnstile.isShutTo(id)) {
      done();
    } else if (phase.current === 'draining' || isLast(reply)) {
      done(QUEUE_FULL);
    } else {
      reply.hijack();
      reply.raw.writeHead(QUEUE_FULL.status, ['x-request-id', request.id, ...HEADERS]).end(BODY);
    }
  });
}
