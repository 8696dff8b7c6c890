import { setTimeout as delay } from 'node:timers/promises';
import { Load } from '../../testing/load/load.js';
import type { Workload } from '../../testing/load/requests.js';
import { quantile, spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import { atMost } from './rows.js';

const ROUNDS = 5;
const ROUND_MS = 1500;
const FLOOD_CONNECTIONS = 32;
/** The flood begins before what is measured beside it, and ends after it. */
const FLOOD_MARGIN_MS = 500;

/** One request to each endpoint that a key opens. */
const FLOODS: readonly Workload[] = [
  'single',
  'compare',
  'rank',
  'batch',
  'table',
  'plan',
  'surface',
  'species',
  'coverage',
  'model',
  'usage',
];

/** A caller of single predictions, alone and while another key floods one endpoint after the other. */
export async function fair(environment: Environment): Promise<Row[]> {
  const server = await startNurselog({ CACHE_BYTES: '0' });
  const flooder = await server.issueKey();
  const flood = new Load();
  const order = (workload: Workload, key: string, connections: number, seed: number, durationMs: number) => ({
    port: server.port,
    dataDir: DATA_DIR,
    workload,
    key,
    connections,
    seed,
    durationMs,
  });
  const callers = (workload: Workload, seed: number) =>
    environment.load.run(order(workload, server.key, 1, seed, ROUND_MS));
  try {
    const aloneMs: number[] = [];
    const batchMs: number[] = [];
    const floodedMs = FLOODS.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      batchMs.push(quantile((await callers('batch', round)).latenciesMs, 0.5));
      aloneMs.push(quantile((await callers('single', round)).latenciesMs, 0.99));
      for (const [index, workload] of FLOODS.entries()) {
        environment.progress(`fair: round ${round + 1} of ${ROUNDS}, ${workload}`);
        const flooding = flood.run(
          order(workload, flooder, FLOOD_CONNECTIONS, round, ROUND_MS + 2 * FLOOD_MARGIN_MS),
        );
        await delay(FLOOD_MARGIN_MS);
        floodedMs[index].push(quantile((await callers('single', round + 100)).latenciesMs, 0.99));
        await flooding;
      }
    }
    const batch = spread(batchMs);
    return [
      { scope: 'fair', what: 'a batch of 500, alone', figures: { 'p50 ms': batch } },
      { scope: 'fair', what: 'single predictions, alone', figures: { 'p99 ms': spread(aloneMs) } },
      ...FLOODS.map((workload, index): Row => {
        const flooded = spread(floodedMs[index]);
        return {
          scope: 'fair',
          what: `single predictions, another key floods ${workload} on ${FLOOD_CONNECTIONS} connections`,
          figures: { 'p99 ms': flooded },
          target: atMost(flooded.median / batch.median, 4, "p99 over a lone batch's service time"),
        };
      }),
    ];
  } finally {
    flood.close();
    await server.stop();
  }
}
