import type { FastifyInstance } from 'fastify';
import { checkerOf } from '../request/check-request.js';
import type { SingleSiteHandler } from './single-site.js';

/** POST /v1/predict/compare: both methods at one site. */
export function compareRoute(app: FastifyInstance, singleSites: SingleSiteHandler): void {
  app.post('/v1/predict/compare', (request, reply) =>
    singleSites.answer(request, reply, (generation, body, rows) =>
      checkerOf(generation).checkComparison(body, rows, 0),
    ),
  );
}
