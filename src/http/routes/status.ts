import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { VERSION } from '../../version.js';
import { rateLimitHeaders } from '../hooks/quota.js';
import type { Endpoint } from '../openapi/endpoint.js';
import { healthResponseSchema, usageResponseSchema } from '../response/catalogue-schemas.js';
import { callerOf } from '../server/request-state.js';
import type { RouteContext } from './context.js';

export const usageEndpoint: Endpoint = {
  path: '/v1/usage',
  id: 'describeUsage',
  tag: 'Service',
  summary: 'Usage of the API key today',
  description: 'This request is not counted, and works after the quota is used up.',
  isFree: true,
  response: usageResponseSchema,
};

/** GET /v1/usage: the count, limit and reset of the caller's key. */
export function usageRoute(app: FastifyInstance, { accounts }: RouteContext): void {
  app.get(usageEndpoint.path, async (request, reply) => {
    const usage = await accounts.usageToday(callerOf(request));
    reply.headers(rateLimitHeaders(usage));
    const { tier, requests: requests_today, limit, remaining, resetsAtMs } = usage;
    return { tier, requests_today, limit, remaining, resets_at: new Date(resetsAtMs).toISOString() };
  });
}

export const healthEndpoint: Endpoint = {
  path: '/v1/health',
  id: 'health',
  tag: 'Service',
  summary: 'Health of the service',
  description: 'Needs no API key. 503 with the same body while the service starts, drains or lacks workers.',
  isPublic: true,
  response: healthResponseSchema,
};

/** GET /v1/health: the phase of the service, its model and its workers. It needs no key. */
export function healthRoute(app: FastifyInstance, { serving, phase }: RouteContext): void {
  app.get(healthEndpoint.path, (_request, reply) => {
    const { data, workers } = serving.current;
    reply.code(phase.current === 'ok' ? 200 : 503);
    return {
      status: phase.current,
      version: VERSION,
      model: { ...modelOf(data.manifest), digest: data.modelDigest },
      data_points: data.grid.pointCount,
      species: data.species.length,
      workers: { ready: workers.ready, total: workers.size },
      uptime_seconds: Math.floor(process.uptime()),
    };
  });
}
