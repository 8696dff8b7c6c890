import type { FastifyInstance } from 'fastify';
import { checkerOf } from '../request/check-request.js';
import type { Services } from '../services.js';
import { answerSite } from './single-answer.js';

/** POST /v1/predict/compare: both methods at one site. */
export function compareRoute(app: FastifyInstance, services: Services): void {
  app.post('/v1/predict/compare', (request, reply) =>
    answerSite(services, request, reply, (generation, body, rows) =>
      checkerOf(generation).checkComparison(body, rows, 0),
    ),
  );
}
