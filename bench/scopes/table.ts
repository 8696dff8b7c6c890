import { spread } from '../../testing/statistics.js';
import { asTable, inBatches, randomSites, type Send } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost } from './rows.js';

const ROWS = 100_000;
const CONNECTIONS = 8;
const ROUNDS = 5;

/** How the same sites are sent, and at most how much CPU they may cost the server over batches. */
interface Way {
  readonly name: string;
  readonly limit?: number;
  readonly score: Send;
}

/** The same 100,000 sites as batches and as tables: the server's CPU for each. */
export async function table(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const sites = randomSites(ROWS);
  const ways: Way[] = [
    { name: `batches, ${CONNECTIONS} connections`, score: inBatches(sites, CONNECTIONS) },
    { name: 'Arrow in and out', limit: 0.5, score: asTable(sites, 'Arrow') },
    { name: 'CSV in and out', limit: 1.2, score: asTable(sites, 'CSV') },
    { name: 'NDJSON in and out', score: asTable(sites, 'NDJSON') },
  ];
  const results = ways.map(() => ({ cpu: [] as number[], seconds: [] as number[] }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [w, { name, score }] of ways.entries()) {
      environment.progress(`table: ${round < 0 ? 'warm-up' : `round ${round + 1} of ${ROUNDS}`}, ${name}`);
      const before = await server.usage();
      const startMs = performance.now();
      await score(server);
      const seconds = (performance.now() - startMs) / 1000;
      const after = await server.usage();
      if (round < 0) continue;
      results[w].seconds.push(seconds);
      results[w].cpu.push(((after.cpuSeconds - before.cpuSeconds) * 1e6) / ROWS);
    }
  }
  return ways.map(({ name, limit }, w) => {
    const { cpu, seconds } = results[w];
    const ratio = spread(cpu.map((value, round) => value / results[0].cpu[round])).median;
    return {
      scope: 'table',
      what: `${ROWS.toLocaleString('en')} sites, ${name}`,
      figures: {
        'CPU us/site': spread(cpu),
        'sites/s': spread(seconds.map((value) => ROWS / value)),
        ...(w > 0 && { "over the batches' CPU": ratio }),
      },
      ...(limit !== undefined && { target: atMost(ratio, limit, "CPU a site over a batch's") }),
    };
  });
}
