import { spread } from '../../testing/statistics.js';
import { asTable, costsInTurn, inBatches, randomSites, ratesOf, type Send } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost } from './rows.js';

const ROWS = 100_000;
const CONNECTIONS = 8;

/** How the same sites are sent, and at most how much CPU they may cost the server over batches. */
interface Way {
  readonly name: string;
  readonly limit?: number;
  readonly send: Send;
}

/** The same 100,000 sites as batches and as tables: the server's CPU for each. */
export async function table(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const sites = randomSites(ROWS);
  const ways: Way[] = [
    { name: `batches, ${CONNECTIONS} connections`, send: inBatches(sites, CONNECTIONS) },
    { name: 'Arrow in and out', limit: 0.5, send: asTable(sites, 'Arrow') },
    { name: 'CSV in and out', limit: 1.2, send: asTable(sites, 'CSV') },
    { name: 'NDJSON in and out', send: asTable(sites, 'NDJSON') },
  ];
  const costs = await costsInTurn(
    ways.map(({ send }) => ({ server, send })),
    ROWS,
    (round) => environment.progress(`table: ${round}`),
  );
  return ways.map(({ name, limit }, w) => {
    const { cpu } = costs[w];
    const ratio = spread(cpu.map((value, round) => value / costs[0].cpu[round])).median;
    return {
      scope: 'table',
      what: `${ROWS.toLocaleString('en')} sites, ${name}`,
      figures: {
        'CPU us/site': spread(cpu),
        'sites/s': spread(ratesOf(costs[w])),
        ...(w > 0 && { "over the batches' CPU": ratio }),
      },
      ...(limit !== undefined && { target: atMost(ratio, limit, "CPU a site over a batch's") }),
    };
  });
}
