import { createRequire } from 'node:module';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const require = createRequire(import.meta.url);

/** Milliseconds between two measurements of the event loop. */
const EVENT_LOOP_PRECISION_MS = 10;

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Collect = (registry: Registry, config: { readonly eventLoopMonitoringPrecision: number }) => void;

export class Metrics {
  readonly registry = new Registry();

  readonly requestSeconds = new Histogram({
    name: 'nurselog_http_request_duration_seconds',
    help: 'Time from the complete request head to the last byte of the response.',
    labelNames: ['route', 'method', 'status', 'tier'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly sites = new Counter({
    name: 'nurselog_sites_total',
    help: 'Requested sites by outcome: answered or an error code. Points of surfaces are not counted.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  readonly queueSeconds = new Histogram({
    name: 'nurselog_queue_duration_seconds',
    help: 'Time that a request waited for a worker or, for single sites, for the main thread.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly inferenceSeconds = new Histogram({
    name: 'nurselog_inference_duration_seconds',
    help: 'Time that a request spent in the models, summed over workers.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  /**
   * Collects prom-client's metrics of Node and the process, except that of garbage collections. To report one, Node 20
   * creates functions with prototypes of their own, and V8 can wait forever if another thread optimizes a function at
   * that time. See docs/reliability.md.
   */
  constructor() {
    for (const name of collectDefaultMetrics.metricsList) {
      if (name === 'gc') continue;
      const collect = require(`prom-client/lib/metrics/${name}.js`) as Collect;
      collect(this.registry, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    }
  }

  /**
   * Adds a metric of values that are kept elsewhere and read at each scrape: a counter if the name ends in `_total`,
   * else a gauge.
   * @param read one value, or one for each series with its labels
   */
  show(
    name: string,
    help: string,
    read: () => number | Promise<number> | readonly { labels: Record<string, string>; value: number }[],
    labelNames: readonly string[] = [],
  ): void {
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    new Metric({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const shown = await read();
        this.reset();
        if (typeof shown === 'number') this.inc(shown);
        else for (const { labels, value } of shown) this.inc(labels, value);
      },
    });
  }
}
