import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { carryOutOrders } from '../../../testing/load/ordered-process.js';

// A process of its own: callers who send tables one after the other.

export interface TableCallersOrder {
  readonly port: number;
  /** The callers use these in turn. */
  readonly keys: readonly string[];
  /** The table that each caller sends, as CSV. */
  readonly table: string;
  readonly accept: string;
  readonly count: number;
  /** How fast answers are read; undefined for as fast as they come. */
  readonly bytesPerSecond?: number | undefined;
  /** After this time no table is begun; slow readers hang up, and others read to the end. */
  readonly durationMs: number;
}

export interface TableCallersReport {
  /** Whole answers. */
  readonly answered: number;
  /** Answers other than 200, by status. */
  readonly refused: Record<string, number>;
  /** Answers that ended without their last chunk. */
  readonly broken: number;
}

const LAST_CHUNK = '\r\n0\r\n\r\n';
/** Interval at which a slow caller reads. */
const READ_EVERY_MS = 100;
/** Delay between the starts of two callers. */
const STAGGER_MS = 50;

/** How a call ended: an object has the status of an answer other than 200. */
type Ending = 'answered' | 'broken' | 'hung up' | { readonly status: string };

async function call(order: TableCallersOrder): Promise<TableCallersReport> {
  const report = { answered: 0, refused: {} as Record<string, number>, broken: 0 };
  const endMs = performance.now() + order.durationMs;
  const callers = Array.from({ length: order.count }, async (_, i) => {
    await delay(i * STAGGER_MS);
    do {
      const ending = await sendTable(order, order.keys[i % order.keys.length], endMs);
      if (typeof ending === 'object')
        report.refused[ending.status] = (report.refused[ending.status] ?? 0) + 1;
      else if (ending !== 'hung up') report[ending]++;
    } while (performance.now() < endMs);
  });
  await Promise.all(callers);
  return report;
}

function sendTable(order: TableCallersOrder, key: string, endMs: number): Promise<Ending> {
  const { port, table, accept, bytesPerSecond } = order;
  // Small, so that the system does not buffer the answer for a slow caller.
  const socket = connect({ port, host: '127.0.0.1', readableHighWaterMark: 16 * 1024 } as never);
  const head = [
    'POST /v1/predict/table HTTP/1.1',
    'Host: test',
    'Connection: close',
    `X-API-Key: ${key}`,
    'Content-Type: text/csv',
    `Accept: ${accept}`,
    `Content-Length: ${Buffer.byteLength(table)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${table}`);
  return new Promise((resolve) => {
    let start = '';
    let end = '';
    let hasHungUp = false;
    let timer: NodeJS.Timeout | undefined;
    socket.on('data', (bytes: Buffer) => {
      if (start.length < 12) start += bytes.toString('latin1', 0, 12);
      end = (end + bytes.toString('latin1', Math.max(0, bytes.length - 7))).slice(-LAST_CHUNK.length);
      if (bytesPerSecond === undefined) return;
      socket.pause();
      if (performance.now() > endMs) {
        hasHungUp = true;
        socket.destroy();
      } else
        timer = setTimeout(
          () => socket.resume(),
          Math.max(READ_EVERY_MS, (1000 * bytes.length) / bytesPerSecond),
        );
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      if (hasHungUp) resolve('hung up');
      else if (!start.startsWith('HTTP/1.1 200')) resolve({ status: start.slice(9, 12) });
      else resolve(end === LAST_CHUNK ? 'answered' : 'broken');
    });
  });
}

carryOutOrders(call);
