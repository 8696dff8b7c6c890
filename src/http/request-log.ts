import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.js';

/** Writes one log line and one observation for every answer; tells the caller the times in `Server-Timing`. */
export function useRequestLog(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { times } = request.state;
    if (times !== undefined) {
      const { queueMs, inferenceMs } = times;
      reply.header(
        'server-timing',
        `queue;dur=${queueMs.toFixed(3)}, inference;dur=${inferenceMs.toFixed(3)}`,
      );
    }
    done();
  });

  app.addHook('onResponse', (request, reply, done) => {
    const { caller, sites, times } = request.state;
    const route = request.routeOptions.url ?? 'none';
    const durationMs = reply.elapsedTime;
    const labels = {
      route,
      method: request.method,
      status: String(reply.statusCode),
      tier: caller?.tier ?? 'none',
    };
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
        status: reply.statusCode,
        sites,
        queue_ms: round(times?.queueMs),
        inference_ms: round(times?.inferenceMs),
        duration_ms: round(durationMs),
      },
      'request',
    );
    done();
  });
}

/** Microseconds are enough. */
function round(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 1000) / 1000;
}
