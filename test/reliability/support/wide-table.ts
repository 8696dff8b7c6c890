import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { csvOf, startTable, type TableSender } from '../../http/support/tables.js';
import { PREDICT_REQUEST } from '../../support/requests.js';

/**
 * Rows of a table whose answer the buffers of both sides cannot hold, in any format: 15 MB, of which a column of the
 * caller's is most. Many narrow rows would take longer to predict for.
 */
export const WIDE_ROWS = 10_000;
export const WIDE_CSV = csvOf(
  Array.from({ length: WIDE_ROWS }, (_, row) => ({
    row,
    note: 'as it was found '.repeat(75),
    ...PREDICT_REQUEST,
  })),
);

/** Sends a table with the headers of CSV and these. */
export async function sendTable(
  sender: TableSender,
  csv: string | Uint8Array,
  headers: readonly string[] = [],
): Promise<Socket> {
  const size = `Content-Length: ${Buffer.byteLength(csv)}`;
  const socket = await startTable(sender, ['Connection: close', size, ...headers]);
  onTestFinished(() => void socket.destroy());
  socket.write(csv);
  return socket;
}

/** Sends the wide table and reads until the answer has begun, then no more. */
export async function startWideAnswer(sender: TableSender, headers: readonly string[] = []): Promise<Socket> {
  const socket = await sendTable(sender, WIDE_CSV, headers);
  await once(socket, 'readable');
  return socket;
}

/** Reads an answer until its connection ends, with or without an error. */
export async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Expects an answer that was cut off: its last chunk is missing. */
export function expectBrokenOff(bytes: Buffer): void {
  const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n') + 4);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n.*transfer-encoding: chunked\r\n/is);
  expect(bytes.subarray(-7).equals(Buffer.from('\r\n0\r\n\r\n'))).toBe(false);
}
