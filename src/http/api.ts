import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { useCallers, useQuota } from './hooks/authentication.js';
import { useCompression } from './hooks/compression.js';
import { refuseExcess, turnAwayExcess } from './hooks/overload.js';
import { logRequest, useServerTiming } from './hooks/request-log.js';
import { useJsonBodies } from './request/json-body.js';
import { batchRoute } from './routes/batch.js';
import { compareRoute } from './routes/compare.js';
import { coverageRoute } from './routes/coverage.js';
import { documentRoutes } from './routes/documents.js';
import { healthRoute } from './routes/health.js';
import { predictRoute } from './routes/predict.js';
import { speciesRoute } from './routes/species.js';
import { createServer } from './server/server.js';
import type { Services } from './services.js';

/** Composes the public API; the caller makes it listen. */
export function createApi(services: Services, log: FastifyBaseLogger): FastifyInstance {
  const { config, phase, connections, metrics } = services;
  const app = createServer(config, phase, log, connections, (request, reply) =>
    logRequest(request, reply, metrics),
  );
  // In a flood the event loop takes long for a turn: workers that are done get their next run meanwhile.
  app.server.on('request', () => services.generations.current.pool.collect());
  useServerTiming(app);
  useCompression(app);
  documentRoutes(app, config);
  healthRoute(app, services);
  app.register(async (keyed) => {
    useCallers(keyed, services);
    useJsonBodies(keyed);
    keyed.register(async (batches) => {
      turnAwayExcess(batches, services);
      useQuota(batches, services);
      refuseExcess(batches, services);
      batchRoute(batches, services);
    });
    keyed.register(async (others) => {
      useQuota(others, services);
      predictRoute(others, services);
      compareRoute(others, services);
      speciesRoute(others, services);
      coverageRoute(others, services);
    });
  });
  return app;
}
