import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { MemoryBudget } from '../work/admission.js';
import { useJsonBodies } from './body/json-body.js';
import { authenticateRequests } from './hooks/authentication.js';
import { endArrival, rejectCounted, rejectUncounted } from './hooks/overload.js';
import { enforceQuota } from './hooks/quota.js';
import { enableServerTiming, logRequest } from './hooks/request-log.js';
import { openApiDocument } from './openapi/document.js';
import { enableCompression } from './response/compression.js';
import { batchEndpoint, batchRoute } from './routes/batch.js';
import { catalogueRoutes, coverageEndpoint, modelEndpoint, speciesEndpoint } from './routes/catalogue.js';
import type { ApiDependencies, RouteContext } from './routes/context.js';
import { documentRoutes } from './routes/documents.js';
import { pageRoutes } from './routes/page.js';
import { planEndpoint, planRoute } from './routes/plan.js';
import { compareEndpoint, predictEndpoint, rankEndpoint, singleSiteRoutes } from './routes/single-site.js';
import { healthEndpoint, healthRoute, usageEndpoint, usageRoute } from './routes/status.js';
import { surfacesEndpoint, surfacesRoute } from './routes/surfaces/surfaces.js';
import { tableEndpoint, tableRoute } from './routes/table/table.js';
import { connectionOf } from './server/connection.js';
import { createServer } from './server/server.js';
import { createSubmitter } from './submitter.js';

/** In the order of /openapi.json. */
const ENDPOINTS = [
  predictEndpoint,
  batchEndpoint,
  compareEndpoint,
  rankEndpoint,
  planEndpoint,
  surfacesEndpoint,
  tableEndpoint,
  speciesEndpoint,
  coverageEndpoint,
  modelEndpoint,
  usageEndpoint,
  healthEndpoint,
];

/** Composes the public API; the caller makes it listen. */
export function createApi(dependencies: ApiDependencies, log: FastifyBaseLogger): FastifyInstance {
  const { config, nowMs, phase, accounts, serving, connections, metrics } = dependencies;
  const context: RouteContext = {
    ...dependencies,
    submitter: createSubmitter(nowMs, config.requestTimeoutMs, config.queueLimitSites),
    memory: new MemoryBudget(config.tableMemoryBytes),
    arriving: new Map(),
  };
  const app = createServer(config, phase, log, connections, '/openapi.json lists the endpoints', (reply) => {
    const { raw, state } = reply.request;
    endArrival(context, reply.request);
    if (state.caller !== undefined) connectionOf(raw).rememberKey(state.caller.id);
    logRequest(reply, metrics);
  });
  enableServerTiming(app);
  enableCompression(app);
  documentRoutes(app, serving, ({ data }) => openApiDocument(ENDPOINTS, config, data), log);
  if (config.explorer === 'on') pageRoutes(app, config.mapStyleUrl);
  healthRoute(app, context);
  app.register(async (keyed) => {
    authenticateRequests(keyed, accounts, phase);
    usageRoute(keyed, context);
    keyed.register(async (queued) => {
      rejectUncounted(queued, context);
      enforceQuota(queued, accounts);
      rejectCounted(queued, context);
      queued.register(async (tables) => tableRoute(tables, context));
      queued.register(async (batches) => {
        useJsonBodies(batches);
        batchRoute(batches, context);
        batches.register(async (plans) => planRoute(plans, context));
      });
    });
    keyed.register(async (others) => {
      useJsonBodies(others);
      enforceQuota(others, accounts);
      singleSiteRoutes(others, context);
      surfacesRoute(others, context);
      catalogueRoutes(others, context);
    });
  });
  return app;
}
