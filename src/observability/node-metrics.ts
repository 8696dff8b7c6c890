import { createRequire } from 'node:module';
import { collectDefaultMetrics, type Registry } from 'prom-client';

const require = createRequire(import.meta.url);

/** Milliseconds between two measurements of the event loop. */
const EVENT_LOOP_PRECISION_MS = 10;

type Collect = (registry: Registry, config: { readonly eventLoopMonitoringPrecision: number }) => void;

/**
 * Collects prom-client's metrics of Node and the process, but for that of garbage collections: to report one, Node 20
 * makes functions with prototypes of their own, and V8 can wait for ever where another thread optimizes a function
 * meanwhile. See docs/reliability.md.
 */
export function collectNodeMetrics(registry: Registry): void {
  for (const name of collectDefaultMetrics.metricsList) {
    if (name === 'gc') continue;
    const collect = require(`prom-client/lib/metrics/${name}.js`) as Collect;
    collect(registry, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  }
}
