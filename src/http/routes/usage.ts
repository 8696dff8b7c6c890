import type { FastifyInstance } from 'fastify';
import { rateLimitHeaders } from '../hooks/quota.js';
import type { Endpoint } from '../openapi/document.js';
import { usageResponseSchema } from '../response/catalogue-schemas.js';
import { callerOf } from '../server/request-state.js';
import type { RouteContext } from './context.js';

export const usageEndpoint: Endpoint = {
  path: '/v1/usage',
  id: 'describeUsage',
  tag: 'Service',
  summary: "Today's requests of the key",
  description: 'Free: it is not counted, and is answered after the quota is reached, too.',
  isFree: true,
  response: usageResponseSchema,
};

/** GET /v1/usage: the count, limit and reset of the caller's key. */
export function usageRoute(app: FastifyInstance, { accounts }: RouteContext): void {
  app.get('/v1/usage', async (request, reply) => {
    const usage = await accounts.usageToday(callerOf(request));
    reply.headers(rateLimitHeaders(usage));
    return {
      tier: usage.tier,
      requests_today: usage.requests,
      limit: usage.limit,
      remaining: usage.remaining,
      resets_at: new Date(usage.resetsAtMs).toISOString(),
    };
  });
}
