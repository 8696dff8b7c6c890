import { Load } from '../../testing/load/load.js';
import { quantile, spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import { atMost } from './rows.js';

const ROUNDS = 5;
const ROUND_MS = 1500;
const FLOOD_CONNECTIONS = 32;

/** A caller of single predictions, alone and while another key floods batches of 500. */
export async function fair(environment: Environment): Promise<Row[]> {
  const server = await startNurselog({ CACHE_BYTES: '0' });
  const flooder = await server.issueKey();
  const flood = new Load();
  const order = (
    workload: 'single' | 'batch',
    key: string,
    connections: number,
    seed: number,
    durationMs: number,
  ) => ({ port: server.port, dataDir: DATA_DIR, workload, key, connections, seed, durationMs }) as const;
  try {
    const alone: number[] = [];
    const flooded: number[] = [];
    const serviceMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      environment.progress(`fair: round ${round + 1} of ${ROUNDS}`);
      const batches = await environment.load.run(order('batch', server.key, 1, round, ROUND_MS));
      serviceMs.push(quantile(batches.latenciesMs, 0.5));
      const quiet = await environment.load.run(order('single', server.key, 1, round, ROUND_MS));
      alone.push(quantile(quiet.latenciesMs, 0.99));
      const [among] = await Promise.all([
        environment.load.run(order('single', server.key, 1, round + 100, ROUND_MS)),
        flood.run(order('batch', flooder, FLOOD_CONNECTIONS, round, ROUND_MS + 500)),
      ]);
      flooded.push(quantile(among.latenciesMs, 0.99));
    }
    const ratio = spread(flooded).median / spread(serviceMs).median;
    return [
      { scope: 'fair', what: 'a batch of 500, alone', figures: { 'p50 ms': spread(serviceMs) } },
      { scope: 'fair', what: 'single predictions, alone', figures: { 'p99 ms': spread(alone) } },
      {
        scope: 'fair',
        what: `single predictions, another key floods on ${FLOOD_CONNECTIONS} connections`,
        figures: { 'p99 ms': spread(flooded) },
        target: atMost(ratio, 4, "p99 over a lone batch's service time"),
      },
    ];
  } finally {
    flood.close();
    await server.stop();
  }
}
