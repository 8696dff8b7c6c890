import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { useCallers } from './callers.js';
import { useCompression } from './compression.js';
import { documentRoutes } from './document-routes.js';
import { useJsonBodies } from './json-body.js';
import { logRequest, useServerTiming } from './request-log.js';
import { batchRoute } from './routes/batch.js';
import { compareRoute } from './routes/compare.js';
import { coverageRoute } from './routes/coverage.js';
import { healthRoute } from './routes/health.js';
import { predictRoute } from './routes/predict.js';
import { speciesRoute } from './routes/species.js';
import { createServer } from './server.js';
import type { Services } from './services.js';

/** Composes the public API; the caller makes it listen. */
export function createApi(services: Services, log: FastifyBaseLogger): FastifyInstance {
  const app = createServer(services.config, services.phase, log, (request, reply) =>
    logRequest(request, reply, services.metrics),
  );
  useServerTiming(app);
  useCompression(app);
  documentRoutes(app, services.config);
  healthRoute(app, services);
  app.register(async (keyed) => {
    useCallers(keyed, services);
    useJsonBodies(keyed);
    predictRoute(keyed, services);
    keyed.register(async (batches) => batchRoute(batches, services));
    compareRoute(keyed, services);
    speciesRoute(keyed, services);
    coverageRoute(keyed, services);
  });
  return app;
}
