import { REQUESTS, type Workload } from '../../testing/load/requests.js';
import { spread } from '../../testing/statistics.js';
import { asTable, costsInTurn, randomSites, type Site } from '../bulk.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
import type { Server } from '../servers/server.js';

/** Two processes of one build may differ by half throughout their lives, so each ratio has new ones. */
const STARTS = 5;
/** Fresh processes warm up until their code is optimised. */
const PACE = { rounds: 3, roundMs: 400, warmUpMs: 2000 };
/** In workloads with recurring sites, most rows of a round must be cache hits. */
const CACHING_PACE = { rounds: 2, roundMs: 2000, warmUpMs: 2000 };

const LOADS: readonly (readonly [Workload, connections: number])[] = [
  ['batch', 1],
  ['batch', 8],
  ['batch', 32],
  ['single', 8],
  ['single', 64],
  ['compare', 64],
  ['batch-repeat', 8],
];

const TABLE_FORMATS = ['CSV', 'NDJSON', 'Arrow'] as const;
const TABLE_ROWS = 100_000;
const TABLE_PACE = { warmUps: 4, rounds: 3 };

interface Build {
  readonly name: 'this build' | 'the other build';
  readonly server: Server;
}

/** Time and CPU per site of a process of a build, in microseconds: the medians of its rounds. */
interface Cost {
  readonly what: string;
  readonly build: Build['name'];
  readonly cpu: number;
  readonly time: number;
}

/**
 * Compares this build with another one: the ratios of CPU time and time per site. Caches are on for workloads whose
 * sites recur, otherwise off. In every other start, the other build is measured first.
 */
export async function against(environment: Environment, project: string): Promise<Row[]> {
  const sites = randomSites(TABLE_ROWS);
  const costs: Cost[] = [];
  for (let start = 0; start < STARTS; start++) {
    for (const recurring of [false, true]) {
      const settings: Record<string, string> = recurring ? {} : { CACHE_BYTES: '0' };
      const builds: Build[] = [
        { name: 'this build', server: await startNurselog(settings) },
        { name: 'the other build', server: await startNurselog(settings, project) },
      ];
      if (start % 2 === 1) builds.reverse();
      try {
        costs.push(...(await loads(environment, builds, recurring)));
        if (!recurring) costs.push(...(await tables(environment, builds, sites)));
      } finally {
        for (const { server } of builds) await server.stop();
      }
    }
  }
  return [...new Set(costs.map(({ what }) => what))].map((what) => {
    const of = (build: Build['name'], figure: 'cpu' | 'time') =>
      costs.filter((cost) => cost.what === what && cost.build === build).map((cost) => cost[figure]);
    const ratios = (figure: 'cpu' | 'time') => {
      const theirs = of('the other build', figure);
      return spread(of('this build', figure).map((ours, start) => ours / theirs[start]));
    };
    return {
      scope: 'against',
      what,
      figures: {
        'CPU us/site': spread(of('this build', 'cpu')),
        'CPU over the other': ratios('cpu'),
        'time over the other': ratios('time'),
      },
    };
  });
}

async function loads(
  environment: Environment,
  builds: readonly Build[],
  recurring: boolean,
): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const [workload, connections] of LOADS.filter(([name]) => REQUESTS[name].recurring === recurring)) {
    const contenders = builds.map((build) => ({ ...build, workload, connections }));
    const figures = await environment.measure(contenders, recurring ? CACHING_PACE : PACE);
    figures.forEach(({ cpuMicrosecondsPerSite, sitesPerSecond }, index) => {
      costs.push({
        what: `${workload}, ${connections} connections`,
        build: builds[index].name,
        cpu: cpuMicrosecondsPerSite.median,
        time: 1e6 / sitesPerSecond.median,
      });
    });
  }
  return costs;
}

async function tables(
  environment: Environment,
  builds: readonly Build[],
  sites: readonly Site[],
): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const format of TABLE_FORMATS) {
    const what = `${TABLE_ROWS.toLocaleString('en')} sites, ${format} in and out`;
    const send = asTable(sites, format);
    const inTurn = await costsInTurn(
      builds.map(({ server }) => ({ server, send })),
      sites.length,
      (round) => environment.progress(`against: ${format}, ${round}`),
      TABLE_PACE,
    );
    inTurn.forEach(({ cpu, time }, index) => {
      costs.push({ what, build: builds[index].name, cpu: spread(cpu).median, time: spread(time).median });
    });
  }
  return costs;
}
