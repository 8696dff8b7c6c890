import type { Accounts } from '../accounts/accounts.js';
import type { Connections } from '../http/server/connections.js';
import type { Log } from '../log.js';
import type { Metrics } from '../observability/metrics.js';
import { modelOf } from '../prediction/artefacts/manifest.js';
import type { Generations } from './models/generations.js';

/** Exposes the state of the service as metrics, which read it when they are scraped. */
export function exposeState(
  metrics: Metrics,
  generations: Generations,
  accounts: Accounts,
  connections: Connections,
  log: Log,
): void {
  const show = metrics.show.bind(metrics);
  show('nurselog_connections', 'Open connections to the API.', () => connections.size);
  show('nurselog_connections_limit', 'Maximum number of open connections.', () => connections.limit);
  show(
    'nurselog_connections_closed_total',
    'Connections closed because the limit was reached. Idle ones are closed first.',
    () => connections.closedCount,
  );
  show('nurselog_queue_sites', 'Sites waiting for a worker.', () =>
    generations.sum(({ batches }) => batches.waitingSites),
  );
  show(
    'nurselog_single_sites_waiting',
    'Rows of single predictions, comparisons and rankings waiting for the main thread.',
    () => generations.sum((each) => (each.mainThread ? each.singleSites.waitingSites : 0)),
  );
  show(
    'nurselog_single_sites_on_main_thread',
    '1 if single predictions, comparisons and rankings run on the main thread (SINGLE_SITES), else 0.',
    () => (generations.current.mainThread ? 1 : 0),
  );
  show(
    'nurselog_jobs_unfinished',
    'Unfinished jobs of the workers. A batch is one job; a table, plan or surface has several.',
    () => generations.sum(({ batches }) => batches.unfinishedJobs),
  );
  show(
    'nurselog_tables_open',
    'Tables with a received body, and surfaces, whose response is not fully sent.',
    () => generations.sum(({ streams }) => streams.size),
  );
  show('nurselog_workers_ready', 'Ready worker threads.', () => generations.current.workers.ready);
  show('nurselog_workers', 'Configured worker threads.', () => generations.current.workers.size);
  show('nurselog_store_up', '1 if the key store accepts writes, else 0.', () =>
    accounts.checkStore().then(
      () => 1,
      () => 0,
    ),
  );
  show(
    'nurselog_model_info',
    'Models and grid in use. The value is always 1.',
    () => {
      const { manifest, grid, modelDigest, gridDigest } = generations.current.data;
      const labels = {
        ...modelOf(manifest),
        digest: modelDigest,
        grid: grid.version,
        grid_digest: gridDigest,
      };
      return [{ labels, value: 1 }];
    },
    ['version', 'codename', 'series', 'digest', 'grid', 'grid_digest'],
  );
  show(
    'nurselog_model_reloads_total',
    'Model reloads by outcome: switched or refused.',
    () => Object.entries(generations.reloads).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ['outcome'],
  );
  show('nurselog_model_reload_refused', '1 if the last reload was refused, else 0.', () =>
    generations.isLastReloadRefused ? 1 : 0,
  );
  show(
    'nurselog_log_lines_dropped_total',
    'Log lines dropped because standard output was not writable.',
    () => log.linesDropped(),
  );
}
