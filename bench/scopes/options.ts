import { spread } from '../../testing/statistics.js';
import type { Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost, figuresRow } from './rows.js';

/** Many short rounds, so that other load of the machine affects all workloads equally. */
const PACE = { rounds: 10, roundMs: 500 };

const MAX_INTERVALS_RATIO = 2;

/** Batches with options and without in turn, at one server. Intervals are left out where the models have none. */
export async function options(environment: Environment): Promise<Row[]> {
  const server = await environment.nurselog();
  const model = await fetch(`http://127.0.0.1:${server.port}/v1/model`, {
    headers: { 'x-api-key': server.key },
  });
  const { interval_level } = (await model.json()) as { interval_level: number | null };
  const workloads = ['batch', 'batch-adjusted', 'batch-explained', 'batch-intervals'] as const;
  const served = workloads.filter((workload) => workload !== 'batch-intervals' || interval_level !== null);
  const [plain, ...others] = await environment.measure(
    served.map((workload) => ({ name: 'nurselog', server, workload, connections: 8 })),
    PACE,
  );
  const rows = others.map((figures) => {
    const ratios = spread(figures.cpuOfRounds.map((cpu, round) => cpu / plain.cpuOfRounds[round]));
    const target =
      figures.workload === 'batch-intervals'
        ? atMost(ratios.median, MAX_INTERVALS_RATIO, 'CPU per site over that without intervals')
        : undefined;
    const row = figuresRow('options', figures, target);
    return { ...row, figures: { ...row.figures, 'CPU over no options': ratios } };
  });
  return [figuresRow('options', plain), ...rows];
}
