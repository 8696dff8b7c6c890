import type { FastifyInstance } from 'fastify';
import { type Endpoint, SITE_ERRORS } from '../openapi/document.js';
import { compareResponseSchema } from '../response/schemas.js';
import type { SingleSiteHandler } from './single-site.js';

export const compareEndpoint: Endpoint = {
  path: '/v1/predict/compare',
  id: 'comparePlantingMethods',
  summary: 'Compare both planting methods at one site',
  request: ({ comparison }) => comparison,
  response: compareResponseSchema,
  errors: SITE_ERRORS,
};

/** POST /v1/predict/compare: both methods at one site. */
export function compareRoute(app: FastifyInstance, singleSites: SingleSiteHandler): void {
  app.post<{ Body: Buffer }>(compareEndpoint.path, (request, reply) =>
    singleSites.answer(request, reply, 'comparison'),
  );
}
