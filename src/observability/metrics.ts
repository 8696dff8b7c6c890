import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { collectNodeMetrics } from './node-metrics.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The Prometheus metrics of the process. */
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
    help: 'Sites requested, by outcome: answered, or the code of the error. Points of surfaces are left out.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  readonly queueSeconds = new Histogram({
    name: 'nurselog_queue_duration_seconds',
    help: 'Time that a request waited for its run, in a worker or, of single sites, on the main thread.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly inferenceSeconds = new Histogram({
    name: 'nurselog_inference_duration_seconds',
    help: 'Time of a request in the models, summed over its workers.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  constructor() {
    collectNodeMetrics(this.registry);
  }

  /** Shows a value as it is when the metrics are read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Shows the constant 1 with labels as they are when the metrics are read. */
  info(name: string, help: string, labelNames: readonly string[], read: () => Record<string, string>): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        this.set(read(), 1);
      },
    });
  }

  /** Shows a count that is kept elsewhere. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Shows counts by outcome that are kept elsewhere. */
  outcomes(name: string, help: string, read: () => Readonly<Record<string, number>>): void {
    new Counter({
      name,
      help,
      labelNames: ['outcome'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(read())) this.inc({ outcome }, count);
      },
    });
  }
}
