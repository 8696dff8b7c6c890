import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { asTable, inBatches, randomSites } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';

const RELOADS = 12;
const TABLE_CALLERS = 12;
const TABLE_MS = 6000;

/** The most memory of a replica of deploy/ in turn under several loads, without its preflight process. Needs Linux. */
export async function memory({ progress }: Environment): Promise<Row[]> {
  const server = await startNurselog({
    WORKERS: '2',
    TABLE_MEMORY_BYTES: '268435456',
    MALLOC_TRIM_THRESHOLD_: '1048576', // as the image and the unit have it
  });
  const rows: Row[] = [];
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, memoryMib(server.pid));
  }, 20);
  const measure = async (what: string, work: () => Promise<void>) => {
    progress(`memory: ${what}`);
    peakMib = 0;
    await work();
    rows.push({
      scope: 'memory',
      what,
      figures: { 'most MiB': peakMib, 'MiB after it': memoryMib(server.pid) },
    });
  };
  const sites = randomSites(200_000);
  const batches = inBatches(sites.slice(0, 20_000), 2);
  const table = asTable(sites, 'NDJSON');
  let isEnding = false;
  const repeat = async (work: () => Promise<void>) => {
    while (!isEnding) await work();
  };
  try {
    await measure('batches', () => batches(server));
    await measure('GeoTIFFs of the whole grid', async () => {
      for (const species of ['PSME', 'TSHE', 'ABAM', 'THPL', 'PIPO', 'ALRU']) {
        const url = `http://127.0.0.1:${server.port}/v1/surfaces/${species}?f=tif`;
        await (await fetch(url, { headers: { 'x-api-key': server.key } })).arrayBuffer();
      }
    });
    const callers = [repeat(() => batches(server))];
    await measure(`${RELOADS} reloads beside batches`, async () => {
      for (let reload = 0; reload < RELOADS; reload++) await server.reload();
    });
    const keys = [await server.issueKey(), await server.issueKey(), await server.issueKey()];
    for (let caller = 0; caller < TABLE_CALLERS; caller++) {
      const sender = { ...server, key: keys[caller % keys.length]! };
      callers.push(repeat(() => table(sender).catch(() => delay(200)))); // 503 where the memory for tables is used up
    }
    await measure(`${TABLE_CALLERS} callers with tables beside them`, () => delay(TABLE_MS));
    await measure('the same and two reloads', async () => {
      for (let reload = 0; reload < 2; reload++) await server.reload();
      await delay(TABLE_MS);
    });
    isEnding = true;
    await Promise.all(callers);
  } finally {
    clearInterval(timer);
    await server.stop();
  }
  return rows;
}

/** Memory that Linux cannot take back from a process. */
function memoryMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]);
  return (kib('RssAnon') + kib('RssShmem')) / 1024;
}
