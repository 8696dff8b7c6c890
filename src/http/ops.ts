import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ApiDependencies } from './routes/context.js';
import { Connections } from './server/connections.js';
import { createServer } from './server/server.js';

/** Connections of the operators' listener, separate from those of the API: callers cannot use them up. */
const MAX_CONNECTIONS = 64;

const ENDPOINTS = 'the endpoints of this address are /livez, /readyz and /metrics';

/**
 * Composes the operators' listener: `/livez` (the process answers), `/readyz` (whether it should get requests, or why
 * not) and `/metrics` (Prometheus). Its requests are not logged: probes come every few seconds.
 */
export function createOps(
  { config, phase, accounts, metrics }: ApiDependencies,
  log: FastifyBaseLogger,
): FastifyInstance {
  const app = createServer(config, phase, log, new Connections(MAX_CONNECTIONS), ENDPOINTS, () => {});
  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const reasons = phase.current === 'ok' ? [] : [`the service is ${phase.current}`];
    await accounts.checkStore().catch((error: Error) => reasons.push(error.message));
    reply.code(reasons.length === 0 ? 200 : 503);
    return { status: reasons.length === 0 ? 'ready' : 'not ready', reasons };
  });
  app.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  return app;
}
