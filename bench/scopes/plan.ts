import { planBody } from '../../testing/load/plan-body.js';
import { readServedData } from '../../testing/load/served-data.js';
import { seededRandom } from '../../testing/random.js';
import { spread } from '../../testing/statistics.js';
import { DATA_DIR, type Environment } from '../environment.js';
import type { Row } from '../report.js';
import { atMost } from './rows.js';

const ROUNDS = 15;
/** Answered before, so that all of the code is compiled. */
const WARM_UP_ROUNDS = 5;
const UNITS = 500;
const MAX_POINTS = 4;
const SPECIES = 10;

const MAX_CPU_MS = 400;

interface Answer {
  readonly units: readonly { readonly data_points: number; readonly options: readonly unknown[] }[];
}

/** Plans of 500 units of at most 4 data points, 10 species and both methods, one after the other: CPU of all threads. */
export async function plan(environment: Environment): Promise<Row[]> {
  const { port, key, usage } = await environment.nurselog();
  const body = planBody({ units: UNITS, species: SPECIES }, readServedData(DATA_DIR), seededRandom(7));
  const milliseconds: number[] = [];
  const cpuMs: number[] = [];
  let answer: Answer = { units: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    environment.progress(`plan: round ${round + 1} of ${ROUNDS}`);
    const before = await usage();
    const startMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/plan`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body,
    });
    answer = (await response.json()) as Answer;
    const elapsedMs = performance.now() - startMs;
    const after = await usage();
    if (round < 0) continue;
    milliseconds.push(elapsedMs);
    cpuMs.push((after.cpuSeconds - before.cpuSeconds) * 1000);
  }
  const points = answer.units.map(({ data_points }) => data_points);
  if (answer.units.length !== UNITS || Math.max(...points) > MAX_POINTS)
    throw new Error('the plan of the bench is not what it should be');
  const predictions = answer.units.reduce(
    (sum, { data_points, options }) => sum + Math.max(1, data_points) * options.length,
    0,
  );
  const cpu = spread(cpuMs);
  return [
    {
      scope: 'plan',
      what: `${UNITS} units of ${MAX_POINTS} data points at most, ${SPECIES} species, both methods: ${predictions} predictions with intervals`,
      figures: { 'CPU ms': cpu, ms: spread(milliseconds) },
      target: atMost(cpu.median, MAX_CPU_MS, 'CPU ms of a plan'),
    },
  ];
}
