import type { Load } from '../testing/load/load.js';
import { REQUESTS, type Workload } from '../testing/load/requests.js';
import { quantile, type Spread, spread } from '../testing/statistics.js';
import type { Server } from './servers/server.js';

/** One server under one workload. */
export interface Contender {
  readonly name: string;
  readonly server: Server;
  readonly workload: Workload;
  readonly connections: number;
}

export interface Figures {
  readonly name: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly requestsPerSecond: Spread;
  readonly sitesPerSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** CPU time of the server process, all threads, per site answered. */
  readonly cpuMicrosecondsPerSite: Spread;
  /** Share of a core that the load generator used; near 1, the generator limits the result. */
  readonly generatorUse: Spread;
  /** The CPU of each round, for ratios of contenders that were measured in turn. */
  readonly cpuOfRounds: readonly number[];
  readonly failures: number;
}

export interface Pace {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

/** Measures contenders in turn, round after round (A B A B), so that changes of the machine affect them equally. */
export async function measure(
  contenders: readonly Contender[],
  load: Load,
  dataDir: string,
  pace: Pace,
  progress: (text: string) => void,
): Promise<Figures[]> {
  const rounds: Awaited<ReturnType<typeof measureRound>>[][] = contenders.map(() => []);
  for (const contender of contenders) await measureRound(contender, load, dataDir, pace.warmUpMs, 1);
  for (let round = 0; round < pace.rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const { name, workload, connections } = contender;
      progress(`${workload} at ${connections} connections: round ${round + 1} of ${pace.rounds}, ${name}`);
      rounds[index].push(await measureRound(contender, load, dataDir, pace.roundMs, round + 2));
    }
  }
  return contenders.map(({ name, workload, connections }, index) => {
    const of = (figure: (round: (typeof rounds)[number][number]) => number) =>
      spread(rounds[index].map(figure));
    return {
      name,
      workload,
      connections,
      requestsPerSecond: of((round) => round.requestsPerSecond),
      sitesPerSecond: of((round) => round.requestsPerSecond * REQUESTS[workload].sites),
      p50Ms: of((round) => round.p50Ms),
      p99Ms: of((round) => round.p99Ms),
      cpuMicrosecondsPerSite: of((round) => round.cpuMicrosecondsPerSite),
      generatorUse: of((round) => round.generatorUse),
      cpuOfRounds: rounds[index].map((round) => round.cpuMicrosecondsPerSite),
      failures: rounds[index].reduce((sum, round) => sum + round.failures, 0),
    };
  });
}

async function measureRound(
  contender: Contender,
  load: Load,
  dataDir: string,
  durationMs: number,
  seed: number,
) {
  const { server, workload, connections } = contender;
  const before = await server.usage();
  const report = await load.run({
    port: server.port,
    key: server.key,
    dataDir,
    workload,
    connections,
    durationMs,
    seed,
  });
  const after = await server.usage();
  return {
    requestsPerSecond: (report.requests / report.wallMs) * 1000,
    p50Ms: quantile(report.latenciesMs, 0.5),
    p99Ms: quantile(report.latenciesMs, 0.99),
    cpuMicrosecondsPerSite:
      ((after.cpuSeconds - before.cpuSeconds) * 1e6) / (report.requests * REQUESTS[workload].sites),
    generatorUse: report.generatorUse,
    failures: Object.values(report.failures).reduce((sum, count) => sum + count, 0),
  };
}
