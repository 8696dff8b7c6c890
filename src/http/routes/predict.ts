import type { FastifyInstance } from 'fastify';
import { checkerOf } from '../request/check-request.js';
import type { Services } from '../services.js';
import { answerSite } from './single-answer.js';

/** POST /v1/predict: one site, species and method. */
export function predictRoute(app: FastifyInstance, services: Services): void {
  app.post('/v1/predict', (request, reply) =>
    answerSite(services, request, reply, (generation, body, rows) =>
      checkerOf(generation).checkPrediction(body, rows, 0),
    ),
  );
}
