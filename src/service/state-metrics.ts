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
  show('nurselog_connections', 'Open connections of callers.', () => connections.size);
  show('nurselog_connections_limit', 'Open connections allowed.', () => connections.limit);
  show(
    'nurselog_connections_closed_total',
    'Connections closed because there were too many: idle ones first.',
    () => connections.closedCount,
  );
  show('nurselog_queue_sites', 'Sites that wait for a worker.', () =>
    generations.sum(({ batches }) => batches.waitingSites),
  );
  show(
    'nurselog_single_sites_waiting',
    'Rows of single predictions, comparisons and rankings that wait for their run on the main thread.',
    () => generations.sum((each) => (each.mainThread ? each.singleSites.waitingSites : 0)),
  );
  show(
    'nurselog_single_sites_on_main_thread',
    'Whether single predictions, comparisons and rankings are answered on the main thread (SINGLE_SITES): 1 or 0.',
    () => (generations.current.mainThread ? 1 : 0),
  );
  show(
    'nurselog_jobs_unfinished',
    'Jobs that were admitted for the workers and are not answered: one of a batch, several of a table, plan or surface.',
    () => generations.sum(({ batches }) => batches.unfinishedJobs),
  );
  show(
    'nurselog_tables_open',
    'Tables whose body was received and surfaces, whose answer is not made or not sent.',
    () => generations.sum(({ streams }) => streams.size),
  );
  show('nurselog_workers_ready', 'Worker threads that are ready.', () => generations.current.workers.ready);
  show('nurselog_workers', 'Worker threads wanted.', () => generations.current.workers.size);
  show('nurselog_store_up', 'Whether the key store takes writes: 1 or 0.', () =>
    accounts.checkStore().then(
      () => 1,
      () => 0,
    ),
  );
  show(
    'nurselog_model_info',
    'The models and the grid that are served; the value is 1.',
    () => {
      const { manifest, grid, modelDigest, gridDigest } = generations.current.artefacts;
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
    'Reloads of the models, by whether they were switched to or refused.',
    () => Object.entries(generations.reloads).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ['outcome'],
  );
  show(
    'nurselog_log_lines_dropped_total',
    'Log lines lost because standard output could not be written to.',
    () => log.linesDropped(),
  );
}
