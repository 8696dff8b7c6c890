import type { Figures } from '../measure.js';
import type { Row } from '../report.js';

/** Share of a core above which the load generator limits the result. */
const GENERATOR_BUSY = 0.9;

/** The row of a contender's figures. */
export function figuresRow(scope: string, figures: Figures, target?: Row['target']): Row {
  const { name, workload, connections, generatorUse, failures } = figures;
  const remarks = [
    ...(generatorUse.median > GENERATOR_BUSY ? ['the load generator is the limit'] : []),
    ...(failures > 0 ? [`${failures} not 200`] : []),
  ];
  return {
    scope,
    what: [`${name}, ${workload}, ${connections} connections`, ...remarks].join('; '),
    figures: {
      'requests/s': figures.requestsPerSecond,
      'sites/s': figures.sitesPerSecond,
      'p50 ms': figures.p50Ms,
      'p99 ms': figures.p99Ms,
      'CPU us/site': figures.cpuMicrosecondsPerSite,
    },
    ...(target === undefined ? {} : { target }),
  };
}

/** A target for a ratio: at most the limit. */
export function atMost(ratio: number, limit: number, of: string): NonNullable<Row['target']> {
  return { ratio, rule: `${of}, at most ${limit}`, met: ratio <= limit };
}

/** A target for a ratio: at least the limit. */
export function atLeast(ratio: number, limit: number, of: string): NonNullable<Row['target']> {
  return { ratio, rule: `${of}, at least ${limit}`, met: ratio >= limit };
}
