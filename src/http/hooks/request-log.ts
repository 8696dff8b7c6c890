import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';
import { isSent } from '../response/compression.js';
import { connectionOf } from '../server/connection.js';

/** nginx's status for a client that closed its connection. */
const CLIENT_CLOSED_STATUS = 499;

/** Reports the times of a request to its caller in `Server-Timing`. */
export function enableServerTiming(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { times } = request.state;
    if (times !== undefined) {
      const [queue, inference] = [times.queueMs.toFixed(3), times.inferenceMs.toFixed(3)];
      reply.header('server-timing', `queue;dur=${queue}, inference;dur=${inference}`);
    }
    done();
  });
}

/** Writes one log line and one observation of each metric for a request that ended. */
export function logRequest(reply: FastifyReply, metrics: Metrics): void {
  const { request } = reply;
  const { caller, sites, times } = request.state;
  const route = request.routeOptions.url ?? 'none';
  const durationMs = reply.elapsedTime;
  const sentStatus = isSent(reply.raw) ? reply.statusCode : CLIENT_CLOSED_STATUS;
  const status = connectionOf(request.raw).rejectedStatus ?? sentStatus;
  const labels = { route, method: request.method, status: String(status), tier: caller?.tier ?? 'none' };
  metrics.requestSeconds.observe(labels, durationMs / 1000);
  if (times !== undefined) {
    metrics.queueSeconds.observe(times.queueMs / 1000);
    metrics.inferenceSeconds.observe(times.inferenceMs / 1000);
  }
  request.log.info(
    {
      key_id: caller?.id,
      tier: caller?.tier,
      method: request.method,
      route,
      status,
      sites,
      queue_ms: round(times?.queueMs),
      inference_ms: round(times?.inferenceMs),
      duration_ms: round(durationMs),
    },
    'request',
  );
}

/** To the microsecond. */
function round(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 1000) / 1000;
}
