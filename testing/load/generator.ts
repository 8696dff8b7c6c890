import { Connection } from './connection.js';
import { carryOutOrders } from './ordered-process.js';
import { requestStream, type Workload } from './requests.js';

// A process of its own: it receives what to send, sends it, and reports the results.

export interface LoadOrder {
  readonly port: number;
  readonly key: string;
  readonly dataDir: string;
  readonly workload: Workload;
  readonly connections: number;
  readonly durationMs: number;
  readonly seed: number;
  /** `Accept-Encoding` of the requests; none is compressed by default. */
  readonly acceptEncoding?: string;
}

export interface LoadReport {
  readonly requests: number;
  /** Answers other than 200, by status. */
  readonly failures: Record<string, number>;
  readonly wallMs: number;
  readonly bodyBytes: number;
  /** Sorted. */
  readonly latenciesMs: readonly number[];
  /** Share of one core that the generator used. */
  readonly generatorUse: number;
}

async function generate(order: LoadOrder): Promise<LoadReport> {
  const { port, key, dataDir, workload, durationMs, seed } = order;
  const nextRequest = requestStream(workload, dataDir, key, seed, order.acceptEncoding);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(port)),
  );
  const latenciesMs: number[] = [];
  const failures: Record<string, number> = {};

  let bodyBytes = 0;

  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const endMs = startMs + durationMs;
  await Promise.all(
    connections.map(async (_, index) => {
      for (let nowMs = performance.now(); nowMs < endMs; ) {
        const connection = connections[index];
        const status = await connection.send(nextRequest());
        const doneMs = performance.now();
        latenciesMs.push(doneMs - nowMs);
        if (status !== 200) failures[status] = (failures[status] ?? 0) + 1;
        nowMs = doneMs;
        if (connection.isLast) {
          bodyBytes += connection.bodyBytes;
          connections[index] = await Connection.open(port);
        }
      }
    }),
  );
  const wallMs = performance.now() - startMs;
  const cpu = process.cpuUsage(cpuBefore);
  for (const connection of connections) connection.close();
  return {
    requests: latenciesMs.length,
    failures,
    wallMs,
    bodyBytes: connections.reduce((sum, connection) => sum + connection.bodyBytes, bodyBytes),
    latenciesMs: latenciesMs.sort((a, b) => a - b),
    generatorUse: (cpu.user + cpu.system) / 1000 / wallMs,
  };
}

carryOutOrders(generate);
