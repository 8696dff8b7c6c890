import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost, figuresRow } from './rows.js';

/** Many short rounds, so that other load of the machine affects all workloads equally. */
const PACE = { rounds: 10, roundMs: 500 };

const MAX_CPU_RATIO = 3;

/** Compares rankings with single predictions, in turn at one server: CPU of a request. */
export async function rank(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const workloads = ['single', 'rank', 'rank-explained', 'rank-intervals'] as const;
  const [single, ...rankings] = await environment.measure(
    workloads.map((workload) => ({ name: 'nurselog', server, workload, connections: 8 })),
    PACE,
  );
  const rows = rankings.map((figures) => {
    const ratios = spread(figures.cpuOfRounds.map((cpu, round) => cpu / single.cpuOfRounds[round]));
    const target =
      figures.workload === 'rank'
        ? atMost(ratios.median, MAX_CPU_RATIO, 'CPU of a ranking over that of a single prediction')
        : undefined;
    const row = figuresRow('rank', figures, target);
    return { ...row, figures: { ...row.figures, 'CPU over a single prediction': ratios } };
  });
  return [figuresRow('rank', single), ...rows];
}
