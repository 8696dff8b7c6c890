import type { FastifyInstance } from 'fastify';
import { placeError } from '../../formats/request/request-errors.js';
import { requestReaderOf } from '../../formats/request/request-reader.js';
import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import { type Endpoint, SITE_ERRORS } from '../openapi/document.js';
import { JSON_TYPE } from '../response/headers.js';
import { compareResponseSchema, predictionResultSchema } from '../response/schemas.js';
import type { RouteContext } from './context.js';

export const predictEndpoint: Endpoint = {
  path: '/v1/predict',
  id: 'predict',
  summary: 'Predict survival for one site, species and planting method',
  request: ({ prediction }) => prediction,
  response: predictionResultSchema,
  errors: [...SITE_ERRORS, 'invalid_method'],
};

export const compareEndpoint: Endpoint = {
  path: '/v1/predict/compare',
  id: 'comparePlantingMethods',
  summary: 'Compare both planting methods at one site',
  request: ({ comparison }) => comparison,
  response: compareResponseSchema,
  errors: SITE_ERRORS,
};

/** POST /v1/predict, one site, species and method, and POST /v1/predict/compare, with both methods. */
export function singleSiteRoutes(app: FastifyInstance, { serving, submitter, metrics }: RouteContext): void {
  const failure = (error: ErrorObject) => {
    metrics.sites.inc({ outcome: error.code });
    return new ApiError(error);
  };
  const route = ({ path }: Endpoint, kind: 'prediction' | 'comparison') =>
    app.post<{ Body: Buffer }>(path, async (request, reply) => {
      const generation = serving.current;
      const rows = requestReaderOf(generation).readSite(request.body, kind);
      request.state.sites = 1;
      if ('code' in rows) throw failure(rows);
      const answers = await submitter.submit(request, reply, generation.singleSites, rows);
      for (const [row, status] of answers.unanswered())
        throw failure(placeError(status, rows, row, generation));
      metrics.sites.inc({ outcome: 'answered' });
      return reply
        .type(JSON_TYPE)
        .header('model-outcomes', generation.artefacts.manifest.outcomes)
        .send(answers.single());
    });
  route(predictEndpoint, 'prediction');
  route(compareEndpoint, 'comparison');
}
