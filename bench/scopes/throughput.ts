import type { Workload } from '../../testing/load/requests.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import type { Server } from '../servers/server.js';
import { atLeast, atMost, figuresRow } from './rows.js';

/** nurselog and the ceiling in turn, at a number of connections. */
async function againstCeiling(
  environment: Environment,
  scope: string,
  server: Server,
  workload: Workload,
  connections: number,
) {
  const [nurselog, ceiling] = await environment.measure([
    { name: 'nurselog', server, workload, connections },
    { name: 'ceiling', server: await environment.ceiling(), workload, connections },
  ]);
  return {
    cpuRatio: nurselog!.cpuMicrosecondsPerSite.median / ceiling!.cpuMicrosecondsPerSite.median,
    requestRatio: nurselog!.requestsPerSecond.median / ceiling!.requestsPerSecond.median,
    rows: (target: Row['target']): Row[] => [
      figuresRow(scope, nurselog!, target),
      figuresRow(scope, ceiling!),
    ],
  };
}

/** Batches of 500 distinct sites, compared with the ceiling. */
export async function batch(environment: Environment): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of [1, 8, 32]) {
    const server = await environment.nurselog();
    const result = await againstCeiling(environment, 'batch', server, 'batch', connections);
    rows.push(...result.rows(atMost(result.cpuRatio, 5, "server CPU per site over the ceiling's")));
  }
  return rows;
}

/** Batches with recurring sites, compared with the ceiling; the cache is on. */
export async function batchRepeat(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselogCaching();
  const result = await againstCeiling(environment, 'batch-repeat', server, 'batch-repeat', 8);
  return result.rows(atMost(result.cpuRatio, 4, "server CPU per site over the ceiling's"));
}

function ofOneSite(workload: 'single' | 'compare') {
  return async (environment: Environment): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const connections of [1, 64, 256]) {
      const server = await environment.nurselog();
      const result = await againstCeiling(environment, workload, server, workload, connections);
      const isTarget = workload === 'single' && connections === 64;
      rows.push(
        ...result.rows(
          isTarget ? atLeast(result.requestRatio, 0.6, "requests/s over the ceiling's") : undefined,
        ),
      );
    }
    return rows;
  };
}

/** Single predictions, compared with the ceiling. */
export const single = ofOneSite('single');

/** Comparisons, compared with the ceiling. */
export const compare = ofOneSite('compare');

/** nurselog, compared with the plain implementation of the same predictions. */
export async function naive(environment: Environment): Promise<Row[]> {
  const [nurselog, plain] = await environment.measure([
    { name: 'nurselog', server: await environment.nurselog(), workload: 'batch', connections: 8 },
    { name: 'naive', server: await environment.naive(), workload: 'batch', connections: 8 },
  ]);
  const ratio = nurselog!.sitesPerSecond.median / plain!.sitesPerSecond.median;
  return [
    figuresRow('naive', nurselog!, atLeast(ratio, 4, "sites/s over the naive server's")),
    figuresRow('naive', plain!),
  ];
}
