import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openSocket } from '../../support/raw-http.js';
import { PREDICT_REQUEST, scatteredSites } from '../../support/requests.js';
import type { Target } from './mixed-load.js';

/** Acts on connections of its own; resolves when it is done and its connections are closed. */
export type Hostility = (target: Target, callers: number) => Promise<unknown>;

const SITE = JSON.stringify(PREDICT_REQUEST);
/** About 600 KB of answer. */
export const BATCH = JSON.stringify({
  requests: scatteredSites(500).map((site) => ({ ...PREDICT_REQUEST, ...site })),
});

const BYTE_EVERY_MS = 100;
const OPENED_TOGETHER = 20;
/** The system itself takes some 4 MB of answers for each. */
const UNREAD_CONNECTIONS = 10;
const PIPELINING_CONNECTIONS = 10;
const PIPELINED = 1000;

/** A whole request. */
export function requestOf(path: string, key: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Opens connections, a few at a time, and has each do something; resolves when all have. */
async function onEach(
  api: string,
  callers: number,
  act: (socket: Socket, index: number) => Promise<void>,
): Promise<void> {
  const acts: Promise<void>[] = [];
  for (let index = 0; index < callers; index++) {
    const socket = await openSocket(api);
    socket.on('error', () => {});
    acts.push(act(socket, index).finally(() => socket.destroy()));
    if (index % OPENED_TOGETHER === 0) await delay(10);
  }
  await Promise.all(acts);
}

/** Resolves when a connection is closed, by a reset or otherwise. */
function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

/** Sends a text too slowly to complete it, until the service closes the connection. */
async function trickle(socket: Socket, text: string): Promise<void> {
  socket.resume();
  const end = closed(socket);
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]), BYTE_EVERY_MS);
  await end;
  clearInterval(timer);
}

const NEVER_ENDS = 'X-Never-Ending-Header: '.padEnd(10_000, 'a');

export const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'headers that come a byte at a time': ({ api }, callers) =>
    onEach(api, callers, async (socket) => {
      socket.write('POST /v1/predict HTTP/1.1\r\n');
      await trickle(socket, NEVER_ENDS);
    }),

  'bodies that come a byte at a time': ({ api, key }, callers) =>
    onEach(api, callers, async (socket) => {
      socket.write(requestOf('/v1/predict/batch', key, BATCH).slice(0, -1000));
      await trickle(socket, ' ');
    }),

  'answers of 600 KB that nobody reads': ({ api, key }, callers) =>
    onEach(api, callers, async (socket) => {
      socket.write(requestOf('/v1/predict/batch', key, BATCH));
      await once(socket, 'readable');
      await delay(3000);
    }),

  'one batch after another on a connection, no answer read, until the service hangs up': ({ api, key }) =>
    onEach(api, UNREAD_CONNECTIONS, async (socket) => {
      const request = requestOf('/v1/predict/batch', key, BATCH);
      const timer = setInterval(() => socket.write(request), BYTE_EVERY_MS);
      await closed(socket);
      clearInterval(timer);
    }),

  'a thousand single predictions on a connection before the first is answered': ({ api, key }) =>
    onEach(api, PIPELINING_CONNECTIONS, async (socket) => {
      socket.write(requestOf('/v1/predict', key, SITE).repeat(PIPELINED));
      socket.resume();
      await closed(socket);
    }),

  'batches whose callers hang up': ({ api, key }, callers) =>
    onEach(api, callers, async (socket, index) => {
      socket.write(requestOf('/v1/predict/batch', key, BATCH));
      await delay(index % 50);
      if (index % 2 === 0) socket.resetAndDestroy();
    }),

  'callers who send and close their side': ({ api, key }, callers) =>
    onEach(api, callers, async (socket) => {
      socket.end(requestOf('/v1/predict', key, SITE));
      socket.resume();
      await closed(socket);
    }),
};
