import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { VERSION } from '../../version.js';
import type { CurrentPhase } from '../server/phase.js';
import type { Serving } from '../serving.js';

/** GET /v1/health: whether the service answers, and what it serves. The only endpoint without a key. */
export function healthRoute(app: FastifyInstance, serving: Serving, phase: CurrentPhase): void {
  app.get('/v1/health', (_request, reply) => {
    const { artefacts, workers } = serving.current;
    reply.code(phase.current === 'ok' ? 200 : 503);
    return {
      status: phase.current,
      version: VERSION,
      model: modelOf(artefacts.manifest),
      data_points: artefacts.grid.pointCount,
      species: artefacts.species.length,
      workers: { ready: workers.ready, total: workers.size },
      uptime_seconds: Math.floor(process.uptime()),
    };
  });
}
