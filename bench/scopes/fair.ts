import { setTimeout as delay } from 'node:timers/promises';
import { Load } from '../../testing/load/load.js';
import { EACH_ENDPOINT, type Workload } from '../../testing/load/requests.js';
import { quantile, spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import type { Server } from '../servers/server.js';
import { atMost } from './rows.js';

const ROUNDS = 5;
const ROUND_MS = 1500;
const FLOOD_CONNECTIONS = 32;
/** Time by which the flood begins before the measurement and ends after it. */
const FLOOD_MARGIN_MS = 500;

/** Lone batches that a caller may wait for, unless a bare HTTP server waits longer under the same flood. */
const BATCHES = 4;

/**
 * A caller of single predictions, alone and while another key floods one endpoint after the other. A bare HTTP server
 * with canned answers of the same sizes, flooded likewise, shows what the machine allows.
 */
export async function fair(environment: Environment): Promise<Row[]> {
  const server = await startNurselog({ CACHE_BYTES: '0' });
  const bare = await environment.ceiling();
  const flooder = await server.issueKey();
  const flood = new Load();
  const order = (workload: Workload, port: number, key: string, connections: number, durationMs: number) => ({
    port,
    dataDir: DATA_DIR,
    workload,
    key,
    connections,
    seed: 1,
    durationMs,
  });
  const callers = (workload: Workload, { port, key }: Server) =>
    environment.load.run(order(workload, port, key, 1, ROUND_MS));
  /** The p99 of single predictions while a server is flooded. */
  const besideFlood = async (workload: Workload, flooded: Server, key: string): Promise<number> => {
    const floodMs = ROUND_MS + 2 * FLOOD_MARGIN_MS;
    const flooding = flood.run(order(workload, flooded.port, key, FLOOD_CONNECTIONS, floodMs));
    await delay(FLOOD_MARGIN_MS);
    const p99 = quantile((await callers('single', flooded)).latenciesMs, 0.99);
    await flooding;
    return p99;
  };
  try {
    const aloneMs: number[] = [];
    const batchMs: number[] = [];
    const floodedMs = EACH_ENDPOINT.map((): number[] => []);
    const bareMs = EACH_ENDPOINT.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      batchMs.push(quantile((await callers('batch', server)).latenciesMs, 0.5));
      aloneMs.push(quantile((await callers('single', server)).latenciesMs, 0.99));
      for (const [index, workload] of EACH_ENDPOINT.entries()) {
        environment.progress(`fair: round ${round + 1} of ${ROUNDS}, ${workload}`);
        floodedMs[index].push(await besideFlood(workload, server, flooder));
        bareMs[index].push(await besideFlood(workload, bare, bare.key));
      }
    }
    const batch = spread(batchMs);
    return [
      { scope: 'fair', what: 'a batch of 500, alone', figures: { 'p50 ms': batch } },
      { scope: 'fair', what: 'single predictions, alone', figures: { 'p99 ms': spread(aloneMs) } },
      ...EACH_ENDPOINT.map((workload, index): Row => {
        const [flooded, bareFlooded] = [spread(floodedMs[index]), spread(bareMs[index])];
        const limit = Math.max(BATCHES, bareFlooded.median / batch.median);
        return {
          scope: 'fair',
          what: `single predictions, another key floods ${workload} on ${FLOOD_CONNECTIONS} connections`,
          figures: { 'p99 ms': flooded, "a bare server's p99 ms": bareFlooded },
          target: atMost(
            flooded.median / batch.median,
            Number(limit.toFixed(1)),
            "p99 over a lone batch's service time",
          ),
        };
      }),
    ];
  } finally {
    flood.close();
    await server.stop();
  }
}
