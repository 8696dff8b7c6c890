import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { VERSION } from '../../version.js';
import type { Services } from '../services.js';

/** GET /v1/health: whether the service answers, and what it serves. The only endpoint without a key. */
export function healthRoute(app: FastifyInstance, { generations, phase }: Services): void {
  app.get('/v1/health', (_request, reply) => {
    const { artefacts, pool } = generations.current;
    reply.code(phase.current === 'ok' ? 200 : 503);
    return {
      status: phase.current,
      version: VERSION,
      model: modelOf(artefacts.manifest),
      data_points: artefacts.grid.pointCount,
      species: artefacts.species.length,
      workers: { ready: pool.ready, total: pool.size },
      uptime_seconds: Math.floor(process.uptime()),
    };
  });
}
