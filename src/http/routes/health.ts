import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { VERSION } from '../../version.js';
import type { Endpoint } from '../openapi/document.js';
import { healthResponseSchema } from '../response/catalogue-schemas.js';
import type { RouteContext } from './context.js';

export const healthEndpoint: Endpoint = {
  path: '/v1/health',
  id: 'health',
  tag: 'Service',
  summary: 'Health of the service',
  description: 'Needs no key. 503 with the same body while it starts, drains or has lost workers.',
  isPublic: true,
  response: healthResponseSchema,
};

/** GET /v1/health: the phase of the service, its model and its workers. The only endpoint without a key. */
export function healthRoute(app: FastifyInstance, { serving, phase }: RouteContext): void {
  app.get('/v1/health', (_request, reply) => {
    const { artefacts, workers } = serving.current;
    reply.code(phase.current === 'ok' ? 200 : 503);
    return {
      status: phase.current,
      version: VERSION,
      model: { ...modelOf(artefacts.manifest), digest: artefacts.modelDigest },
      data_points: artefacts.grid.pointCount,
      species: artefacts.species.length,
      workers: { ready: workers.ready, total: workers.size },
      uptime_seconds: Math.floor(process.uptime()),
    };
  });
}
