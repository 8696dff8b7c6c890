import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Accounts } from '../accounts/accounts.js';
import type { Connections } from '../http/server/connections.js';
import type { Log } from '../log.js';
import { modelOf } from '../prediction/artefacts/manifest.js';
import type { Turnstile } from '../scheduling/turnstile.js';
import type { Generations } from '../service/models/generations.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The Prometheus metrics of the process. */
export class Metrics {
  readonly registry = new Registry();

  readonly requestSeconds = new Histogram({
    name: 'nurselog_http_request_duration_seconds',
    help: 'Time from the request line to the last byte of the answer.',
    labelNames: ['route', 'method', 'status', 'tier'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly sites = new Counter({
    name: 'nurselog_sites_total',
    help: 'Sites asked for, by what became of them.',
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
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Shows the queue, the workers, the models, the key store, the connections and the log as they are when the metrics
   * are read.
   */
  watch(
    turnstile: Turnstile,
    generations: Generations,
    accounts: Accounts,
    connections: Connections,
    log: Log,
  ): void {
    this.#gauge('nurselog_connections', 'Open connections of callers.', () => connections.size);
    this.#gauge('nurselog_connections_limit', 'Open connections allowed.', () => connections.limit);
    this.#counter(
      'nurselog_connections_closed_total',
      'Connections closed because there were too many: idle ones first.',
      () => connections.closedCount,
    );
    this.#gauge('nurselog_batches_waiting', 'Batches that wait for their turn.', () => turnstile.waiting);
    this.#gauge(
      'nurselog_queue_sites',
      'Sites that wait for a worker.',
      () => generations.current.dispatcher.queuedSites,
    );
    this.#gauge(
      'nurselog_single_sites_waiting',
      'Single predictions and comparisons that wait for their run on the main thread.',
      () => generations.current.singleSites.waiting,
    );
    this.#gauge(
      'nurselog_jobs_unfinished',
      'Requests that the workers have admitted and not answered.',
      () => generations.current.dispatcher.unfinishedJobs,
    );
    this.#gauge(
      'nurselog_workers_ready',
      'Worker threads that are ready.',
      () => generations.current.pool.ready,
    );
    this.#gauge('nurselog_workers_total', 'Worker threads wanted.', () => generations.current.pool.size);
    this.#gauge('nurselog_store_up', 'Whether the key store takes writes: 1 or 0.', () =>
      accounts.checkStore().then(
        () => 1,
        () => 0,
      ),
    );
    this.#watchModels(generations);
    this.#counter(
      'nurselog_log_lines_dropped_total',
      'Log lines lost because standard output could not be written to.',
      () => log.linesDropped(),
    );
  }

  #watchModels(generations: Generations): void {
    new Gauge({
      name: 'nurselog_model_info',
      help: 'The models and the grid that are served; the value is 1.',
      labelNames: ['version', 'codename', 'series', 'grid'],
      registers: [this.registry],
      collect() {
        const { manifest, grid } = generations.current.artefacts;
        this.reset();
        this.set({ ...modelOf(manifest), grid: grid.version }, 1);
      },
    });
    new Counter({
      name: 'nurselog_model_reloads_total',
      help: 'Reloads of the models, by whether they were switched to or refused.',
      labelNames: ['outcome'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(generations.reloads)) this.inc({ outcome }, count);
      },
    });
  }

  /** What is counted elsewhere. */
  #counter(name: string, help: string, read: () => number): void {
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

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }
}
