import { REQUESTS, type Workload } from '../../testing/load/requests.js';
import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { startNurselog } from '../servers/nurselog.js';
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
    } finally {
      await build.stop();
      await other.stop();
    }
  }
  return rows;
}
