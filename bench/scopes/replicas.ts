import { spread } from '../../testing/statistics.js';
import { asTable, costsInTurn, inBatches, randomSites, ratesOf, type Send } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import { startReplicas, whyNoReplicas } from '../servers/replicas.js';
import { atLeast, figuresRow } from './rows.js';

const REPLICAS = 3;
const ROWS = 100_000;

/** Compares three replicas of one worker behind nginx with one process of three workers, on the same cores. */
export async function replicas(environment: Environment): Promise<Row[]> {
  const why = whyNoReplicas();
  if (why !== undefined) return [{ scope: 'replicas', what: `left out: ${why}`, figures: {} }];
  const one = await startNurselog({ CACHE_BYTES: '0', WORKERS: String(REPLICAS) });
  const several = await startReplicas(REPLICAS, { CACHE_BYTES: '0', WORKERS: '1' });
  try {
    const servers = [
      { name: `one process of ${REPLICAS} workers`, server: one },
      { name: `${REPLICAS} replicas of one worker behind nginx`, server: several },
    ];
    const rows: Row[] = [];
    for (const [workload, connections] of [
      ['batch', 8],
      ['single', 64],
    ] as const) {
      const figures = await environment.measure(
        servers.map((contender) => ({ ...contender, workload, connections })),
      );
      rows.push(...figures.map((of) => figuresRow('replicas', of)));
    }
    const sites = randomSites(ROWS);
    const [table, batches] = [asTable(sites, 'Arrow'), inBatches(sites, 8)];
    const threeTables: Send = async (server) => {
      await Promise.all(Array.from({ length: REPLICAS }, () => table(server)));
    };
    for (const [what, send, count] of [
      [`${REPLICAS} tables at a time`, threeTables, REPLICAS * ROWS],
      ['batches', batches, ROWS],
    ] as const) {
      const costs = await costsInTurn(
        servers.map(({ server }) => ({ server, send })),
        count,
        (round) => environment.progress(`replicas: ${what}, ${round}`),
      );
      const [ofOne, ofSeveral] = costs.map(ratesOf);
      const ratio = spread(ofSeveral.map((rate, round) => rate / ofOne[round])).median;
      rows.push(
        {
          scope: 'replicas',
          what: `${servers[0].name}, ${what}`,
          figures: { 'sites/s': spread(ofOne) },
        },
        {
          scope: 'replicas',
          what: `${servers[1].name}, ${what}`,
          figures: { 'sites/s': spread(ofSeveral) },
          target: atLeast(ratio, 0.9, "sites/s over one process's"),
        },
      );
    }
    return rows;
  } finally {
    await several.stop();
    await one.stop();
  }
}
