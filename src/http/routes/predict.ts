import type { FastifyInstance } from 'fastify';
import { checkerOf } from '../request/check-request.js';
import type { SingleSiteHandler } from './single-site.js';

/** POST /v1/predict: one site, species and method. */
export function predictRoute(app: FastifyInstance, singleSites: SingleSiteHandler): void {
  app.post('/v1/predict', (request, reply) =>
    singleSites.answer(request, reply, (generation, body, rows) =>
      checkerOf(generation).checkPrediction(body, rows, 0),
    ),
  );
}
