import type { FastifyInstance } from 'fastify';
import type { RequestChecker } from '../check-request.js';
import type { Services } from '../services.js';
import { answerSite } from '../single-answer.js';

/** POST /v1/predict: one site, species and method. */
export function predictRoute(app: FastifyInstance, services: Services, checker: RequestChecker): void {
  app.post('/v1/predict', (request, reply) =>
    answerSite(services, request, reply, checker.checkPrediction.bind(checker)),
  );
}
