import type { FastifyInstance } from 'fastify';
import type { RequestChecker } from '../check-request.js';
import type { Services } from '../services.js';
import { answerSite } from '../single-answer.js';

/** POST /v1/predict/compare: both methods at one site. */
export function compareRoute(app: FastifyInstance, services: Services, checker: RequestChecker): void {
  app.post('/v1/predict/compare', (request, reply) =>
    answerSite(services, request, reply, checker.checkComparison.bind(checker)),
  );
}
