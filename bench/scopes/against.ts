import { REQUESTS, type Workload } from '../../testing/load/requests.js';
import { spread } from '../../testing/statistics.js';
import { asTable, randomSites } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import type { Server } from '../servers/server.js';
import { figuresRow } from './rows.js';

/** Many short rounds, so that other load of the machine affects both builds equally. */
const PACE = { rounds: 16, roundMs: 400 };
/** Where sites recur, most rows of a round must find their sites in the cache. */
const CACHING_PACE = { rounds: 8, roundMs: 2000, warmUpMs: 2000 };

const LOADS: readonly (readonly [Workload, connections: number])[] = [
  ['batch', 1],
  ['batch', 8],
  ['batch', 32],
  ['single', 8],
  ['single', 64],
  ['compare', 64],
  ['batch-repeat', 8],
];

/**
 * This build and another one in turn: the ratio of their CPU per site, round by round. With their caches where sites
 * recur, otherwise without.
 */
export async function against(environment: Environment, project: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const recurring of [false, true]) {
    const settings: Record<string, string> = recurring ? {} : { CACHE_BYTES: '0' };
    const build = await startNurselog(settings);
    const other = await startNurselog(settings, project);
    try {
      for (const [workload, connections] of LOADS.filter(
        ([name]) => REQUESTS[name].recurring === recurring,
      )) {
        const [ours, theirs] = await environment.measure(
          [
            { name: 'this build', server: build, workload, connections },
            { name: 'the other build', server: other, workload, connections },
          ],
          recurring ? CACHING_PACE : PACE,
        );
        const ratios = ours.cpuOfRounds.map((cpu, round) => cpu / theirs.cpuOfRounds[round]);
        const row = figuresRow('against', ours);
        rows.push(
          { ...row, figures: { ...row.figures, 'CPU over the other': spread(ratios) } },
          figuresRow('against', theirs),
        );
      }
      if (!recurring) rows.push(...(await tables(environment, build, other)));
    } finally {
      await build.stop();
      await other.stop();
    }
  }
  return rows;
}

const TABLE_ROWS = 100_000;
const TABLE_ROUNDS = 5;

/** Tables in both builds in turn: the ratios of their CPU and of the time they take, round by round. */
async function tables(environment: Environment, build: Server, other: Server): Promise<Row[]> {
  const sites = randomSites(TABLE_ROWS);
  const rows: Row[] = [];
  for (const format of ['CSV', 'NDJSON', 'Arrow'] as const) {
    const send = asTable(sites, format);
    const [ours, theirs] = [build, other].map((server) => ({
      server,
      cpu: [] as number[],
      ms: [] as number[],
    }));
    for (let round = -1; round < TABLE_ROUNDS; round++) {
      environment.progress(
        `against: ${round < 0 ? 'warm-up' : `round ${round + 1} of ${TABLE_ROUNDS}`}, ${format}`,
      );
      for (const { server, cpu, ms } of [ours, theirs]) {
        const before = await server.usage();
        const startMs = performance.now();
        await send(server);
        const elapsedMs = performance.now() - startMs;
        const after = await server.usage();
        if (round < 0) continue;
        ms.push(elapsedMs);
        cpu.push(((after.cpuSeconds - before.cpuSeconds) * 1e6) / TABLE_ROWS);
      }
    }
    rows.push({
      scope: 'against',
      what: `${TABLE_ROWS.toLocaleString('en')} sites, ${format} in and out`,
      figures: {
        'CPU us/site': spread(ours.cpu),
        ms: spread(ours.ms),
        'CPU over the other': spread(ours.cpu.map((cpu, round) => cpu / theirs.cpu[round])),
        'time over the other': spread(ours.ms.map((ms, round) => ms / theirs.ms[round])),
      },
    });
  }
  return rows;
}
