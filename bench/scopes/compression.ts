import { quantile, spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';

const ROUNDS = 5;
const ROUND_MS = 800;
const ENCODINGS = ['identity', 'gzip', 'br', ...(process.versions.zstd === undefined ? [] : ['zstd'])];

/** Bits in a millisecond at 100 Mbit/s. */
const LINK_BITS_PER_MS = 100_000;

/** Batches in each encoding: their size, their CPU time, and the time of one over a network of 100 Mbit/s. */
export async function compression(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const rounds = new Map(
    ENCODINGS.map((encoding) => [encoding, [] as Record<'p50' | 'bytes' | 'cpu' | 'link', number>[]]),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const [encoding, results] of rounds) {
      environment.progress(`compression: round ${round + 1} of ${ROUNDS}, ${encoding}`);
      const before = await server.usage();
      const report = await environment.load.run({
        port: server.port,
        key: server.key,
        dataDir: DATA_DIR,
        workload: 'batch',
        connections: 1,
        durationMs: ROUND_MS,
        seed: round,
        acceptEncoding: encoding,
      });
      const after = await server.usage();
      const p50 = quantile(report.latenciesMs, 0.5);
      const bytes = report.bodyBytes / report.requests;
      const cpu = ((after.cpuSeconds - before.cpuSeconds) * 1000) / report.requests;
      results.push({ p50, bytes, cpu, link: p50 + (bytes * 8) / LINK_BITS_PER_MS });
    }
  }
  return [...rounds].map(([encoding, results]) => {
    const of = (name: 'p50' | 'bytes' | 'cpu' | 'link') => spread(results.map((result) => result[name]));
    return {
      scope: 'compression',
      what: `batch, ${encoding}`,
      figures: {
        KB: of('bytes').median / 1024,
        'p50 ms': of('p50'),
        'CPU ms/batch': of('cpu'),
        'ms at 100 Mbit/s': of('link'),
      },
    };
  });
}
