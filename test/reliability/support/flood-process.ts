import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { carryOutOrders } from '../../../testing/load/ordered-process.js';

// A process of its own: connections that send the same bytes again and again, as fast as they are taken.

export interface FloodOrder {
  readonly port: number;
  /** Bytes that each connection sends: requests, or anything else. */
  readonly text: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Whether answers are read. */
  readonly reads: boolean;
}

export interface FloodReport {
  readonly sentMb: number;
  readonly receivedMb: number;
}

/** What is written at a time. */
const BLOCK_BYTES = 1024 * 1024;
/** A connection that the service ends is replaced after this time: they are a hundred, not thousands. */
const PAUSE_MS = 1000;

async function flood({ port, text, connections, durationMs, reads }: FloodOrder): Promise<FloodReport> {
  const block = Buffer.from(text.repeat(Math.max(1, Math.floor(BLOCK_BYTES / text.length))), 'latin1');
  const end = AbortSignal.timeout(durationMs);
  setMaxListeners(0, end);
  const open = new Set<Socket>();
  let sent = 0;
  let received = 0;
  const call = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      open.add(socket);
      const write = () => {
        if (!socket.destroyed && socket.write(block)) setImmediate(write);
      };
      socket
        .on('connect', write)
        .on('drain', write)
        .on('error', () => {});
      if (reads)
        socket.on('data', ({ length }) => {
          received += length;
        });
      socket.on('close', () => {
        sent += socket.bytesWritten;
        open.delete(socket);
        resolve();
      });
    });
  const callers = Array.from({ length: connections }, async () => {
    while (!end.aborted) {
      await call();
      await delay(PAUSE_MS, undefined, { signal: end }).catch(() => {}); // the end
    }
  });
  await delay(durationMs);
  for (const socket of open) socket.destroy();
  await Promise.all(callers);
  return { sentMb: sent / 1e6, receivedMb: received / 1e6 };
}

carryOutOrders(flood);
