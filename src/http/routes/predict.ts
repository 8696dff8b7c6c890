import type { FastifyInstance } from 'fastify';
import { type Endpoint, SITE_ERRORS } from '../openapi/document.js';
import { predictionResultSchema } from '../response/schemas.js';
import type { SingleSiteHandler } from './single-site.js';

export const predictEndpoint: Endpoint = {
  path: '/v1/predict',
  id: 'predict',
  summary: 'Predict survival for one site, species and planting method',
  request: ({ prediction }) => prediction,
  response: predictionResultSchema,
  errors: [...SITE_ERRORS, 'invalid_method'],
};

/** POST /v1/predict: one site, species and method. */
export function predictRoute(app: FastifyInstance, singleSites: SingleSiteHandler): void {
  app.post<{ Body: Buffer }>(predictEndpoint.path, (request, reply) =>
    singleSites.answer(request, reply, 'prediction'),
  );
}
