import { Dictionary, Int32, makeVector, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { PLANTING_METHODS } from '../../src/prediction/dimensions.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import type { Server } from '../servers/server.js';
import { atMost } from './rows.js';

const ROWS = 100_000;
const BATCH_SITES = 500;
const CONNECTIONS = 8;
const ROUNDS = 5;

const ARROW = 'application/vnd.apache.arrow.stream';
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

/** How the same sites are sent, and at most how much CPU they may cost the server over batches. */
interface Way {
  readonly name: string;
  readonly limit?: number;
  score(server: Server): Promise<void>;
}

/** The same 100,000 sites as batches and as tables: the server's CPU for each. */
export async function table(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const sites = randomSites();
  const ways: Way[] = [
    { name: `batches, ${CONNECTIONS} connections`, score: inBatches(sites) },
    { name: 'Arrow in and out', limit: 0.5, score: asTable(ARROW, arrowOf(sites)) },
    { name: 'CSV in and out', limit: 1.2, score: asTable(CSV, csvOf(sites)) },
    { name: 'NDJSON in and out', score: asTable(NDJSON, ndjsonOf(sites)) },
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

interface Site {
  readonly latitude: number;
  readonly longitude: number;
  readonly species_code: string;
  readonly planting_method: string;
}

/** Sites near grid points, of all species and both methods. */
function randomSites(): Site[] {
  const { grid, species } = readPredictorData();
  const random = seededRandom(9);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  return Array.from({ length: ROWS }, () => {
    const place = placeOf(grid, Math.floor(random() * grid.pointCount));
    const near = (degrees: number) => Math.round((degrees + (random() - 0.5) * 0.01) * 1e6) / 1e6;
    return {
      latitude: near(place.latitude),
      longitude: near(place.longitude),
      species_code: pick(species).species_code,
      planting_method: pick(PLANTING_METHODS),
    };
  });
}

function inBatches(sites: readonly Site[]): Way['score'] {
  const bodies: string[] = [];
  for (let from = 0; from < sites.length; from += BATCH_SITES)
    bodies.push(JSON.stringify({ requests: sites.slice(from, from + BATCH_SITES) }));
  return async (server) => {
    let next = 0;
    const caller = async () => {
      while (next < bodies.length)
        await send(server, '/v1/predict/batch', 'application/json', bodies[next++]);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  };
}

function asTable(type: string, body: string | Uint8Array<ArrayBuffer>): Way['score'] {
  return (server) => send(server, '/v1/predict/table', type, body);
}

/** Sends a body and reads the answer without looking at it. */
async function send(
  { port, key }: Server,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': type, 'accept-encoding': 'identity' },
    body,
  });
  if (response.status !== 200)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  for await (const _ of response.body ?? []);
}

const COLUMNS = ['latitude', 'longitude', 'species_code', 'planting_method'] as const;

function csvOf(sites: readonly Site[]): string {
  return `${[COLUMNS, ...sites.map((site) => COLUMNS.map((name) => site[name]))].join('\n')}\n`;
}

function ndjsonOf(sites: readonly Site[]): string {
  return sites.map((site) => `${JSON.stringify(site)}\n`).join('');
}

function arrowOf(sites: readonly Site[]): Uint8Array<ArrayBuffer> {
  const texts = (name: 'species_code' | 'planting_method') =>
    vectorFromArray(
      sites.map((site) => site[name]),
      new Dictionary(new Utf8(), new Int32()),
    );
  const degrees = (name: 'latitude' | 'longitude') =>
    makeVector(Float64Array.from(sites, (site) => site[name]));
  const columns = new Table({
    latitude: degrees('latitude'),
    longitude: degrees('longitude'),
    species_code: texts('species_code'),
    planting_method: texts('planting_method'),
  });
  return new Uint8Array(tableToIPC(columns, 'stream'));
}
