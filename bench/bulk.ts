import { Dictionary, Int32, makeVector, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { PLANTING_METHODS } from '../src/prediction/dimensions.js';
import { placeOf, readPredictorData } from '../testing/project.js';
import { seededRandom } from '../testing/random.js';
import type { Server } from './servers/server.js';

const BATCH_SITES = 500;

/** Media types of tables. */
const TABLE_TYPES = {
  Arrow: 'application/vnd.apache.arrow.stream',
  CSV: 'text/csv',
  NDJSON: 'application/x-ndjson',
} as const;

/** Sends the same sites to a server and reads the answers without looking at them. */
export type Send = (server: Server) => Promise<void>;

export interface Site {
  readonly latitude: number;
  readonly longitude: number;
  readonly species_code: string;
  readonly planting_method: string;
}

/** Sites near grid points, of all species and both methods. */
export function randomSites(count: number): Site[] {
  const { grid, species } = readPredictorData();
  const random = seededRandom(9);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  return Array.from({ length: count }, () => {
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

/** Sends sites as batches, one after the other on each of `connections` connections. */
export function inBatches(sites: readonly Site[], connections: number): Send {
  const bodies: string[] = [];
  for (let from = 0; from < sites.length; from += BATCH_SITES)
    bodies.push(JSON.stringify({ requests: sites.slice(from, from + BATCH_SITES) }));
  return async (server) => {
    let next = 0;
    const caller = async () => {
      while (next < bodies.length)
        await send(server, '/v1/predict/batch', 'application/json', bodies[next++]);
    };
    await Promise.all(Array.from({ length: connections }, caller));
  };
}

/** Sends sites as one table, which is answered in the same format. */
export function asTable(sites: readonly Site[], format: keyof typeof TABLE_TYPES): Send {
  const body = { Arrow: arrowOf, CSV: csvOf, NDJSON: ndjsonOf }[format](sites);
  return (server) => send(server, '/v1/predict/table', TABLE_TYPES[format], body);
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

/** Time and CPU per site of one way to send sites, for each round, in microseconds. */
export interface Costs {
  /** CPU time of the server. */
  readonly cpu: readonly number[];
  readonly time: readonly number[];
}

/**
 * Sends the same sites in several ways, in turn, after rounds that warm up.
 * @param sites how many each way sends
 */
export async function costsInTurn(
  ways: readonly { readonly server: Server; readonly send: Send }[],
  sites: number,
  progress: (text: string) => void,
  { warmUps, rounds } = { warmUps: 1, rounds: 5 },
): Promise<Costs[]> {
  const costs = ways.map(() => ({ cpu: [] as number[], time: [] as number[] }));
  for (let round = 1 - warmUps; round <= rounds; round++) {
    progress(round < 1 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const [w, { server, send }] of ways.entries()) {
      const before = await server.usage();
      const startMs = performance.now();
      await send(server);
      const elapsedMs = performance.now() - startMs;
      const after = await server.usage();
      if (round < 1) continue;
      costs[w].cpu.push(((after.cpuSeconds - before.cpuSeconds) * 1e6) / sites);
      costs[w].time.push((elapsedMs * 1000) / sites);
    }
  }
  return costs;
}

/** Converts microseconds per site to sites per second. */
export function ratesOf({ time }: Costs): number[] {
  return time.map((microseconds) => 1e6 / microseconds);
}
