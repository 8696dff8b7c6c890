import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../../../testing/load/connection.js';
import { carryOutOrders } from '../../../testing/load/ordered-process.js';
import { requestStream, type Workload } from '../../../testing/load/requests.js';

// A process of its own: callers arrive at a fixed rate and do not wait for earlier ones.

export interface OpenLoopOrder {
  readonly port: number;
  readonly key: string;
  readonly dataDir: string;
  readonly workload: Workload;
  readonly requestsPerS: number;
  readonly durationMs: number;
  /** Maximum of connections; a caller who arrives while all are in use does not send. */
  readonly connections: number;
  readonly seed: number;
}

export interface OpenLoopReport {
  readonly sent: number;
  /** Callers who found no connection. */
  readonly heldBack: number;
  /** From sending until the last byte of the answer, by status, sorted. */
  readonly latenciesMs: ReadonlyMap<number, readonly number[]>;
  /** The number of requests without an answer, by the error that the caller saw. */
  readonly lost: ReadonlyMap<string, number>;
  /** Bodies that were sent after 100 Continue. */
  readonly continued: number;
  readonly wallMs: number;
}

/** Interval at which all callers that are due send. */
const TICK_MS = 1;

/** Requests that recur: making new ones takes time of the cores that the service needs. It must run without its cache. */
const PREPARED_REQUESTS = 8;

async function call(order: OpenLoopOrder): Promise<OpenLoopReport> {
  const { port, key, dataDir, workload, requestsPerS, durationMs, seed } = order;
  const requests = Array.from({ length: PREPARED_REQUESTS }, requestStream(workload, dataDir, key, seed));
  const latenciesMs = new Map<number, number[]>();
  const lost = new Map<string, number>();
  const free: Connection[] = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(port)),
  );
  let sent = 0;
  let heldBack = 0;
  let continued = 0;
  const underWay = new Set<Promise<void>>();

  const callOn = async (connection: Connection, request: Buffer) => {
    const sentMs = performance.now();
    try {
      const status = await connection.send(request);
      const latencies = latenciesMs.get(status) ?? [];
      latenciesMs.set(status, latencies);
      latencies.push(performance.now() - sentMs);
      if (!connection.isLast) free.push(connection);
      else {
        continued += connection.continued;
        free.push(await Connection.open(port));
      }
    } catch (error) {
      const { message } = error as Error;
      lost.set(message, (lost.get(message) ?? 0) + 1);
    }
  };

  const startMs = performance.now();
  for (let nowMs = startMs; nowMs < startMs + durationMs; nowMs = performance.now()) {
    const due = ((nowMs - startMs) / 1000) * requestsPerS;
    while (sent + heldBack < due) {
      const connection = free.shift(); // in turn, or the last would idle until the service closes them
      if (connection === undefined) {
        heldBack++;
        continue;
      }
      const request = requests[sent++ % PREPARED_REQUESTS];
      const called = callOn(connection, request).finally(() => underWay.delete(called));
      underWay.add(called);
    }
    await delay(TICK_MS);
  }
  await Promise.all(underWay);
  const wallMs = performance.now() - startMs;
  for (const connection of free) {
    continued += connection.continued;
    connection.close();
  }
  for (const latencies of latenciesMs.values()) latencies.sort((a, b) => a - b);
  return { sent, heldBack, latenciesMs, lost, continued, wallMs };
}

carryOutOrders(call);
