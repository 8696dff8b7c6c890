import { once } from 'node:events';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { openSocket } from '../../support/raw-http.js';
import type { TestService } from '../../support/service.js';

/** Sends the head of a plan and waits for an answer to it or to be asked for the body. */
export async function announcePlan(
  { apiUrl }: TestService,
  key: string,
  bodyBytes: number,
): Promise<{ socket: Socket; text: string }> {
  const socket = await openSocket(apiUrl);
  onTestFinished(() => void socket.destroy());
  const head = [
    'POST /v1/plan HTTP/1.1',
    'Host: test',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${bodyBytes}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [text] = await once(socket, 'data');
  return { socket, text: String(text) };
}
