import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectGarbage } from '../support/collect-garbage.js';
import { openSocket } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

const LIMIT_BYTES = 64 * 1024;

/** 1.5 times the body limit, plus the memory of a service in use; a Buffer for each byte would take 12 MB. */
const MAX_KEPT_BYTES = 1.5 * LIMIT_BYTES + 3 * 1024 * 1024;

const CONNECTED = 'net.server.socket';

/** Turns of the event loop in which the service passes on what its socket has received: 64 lines or more in each. */
const TURNS = 1000;

const JSON_TYPE = 'Content-Type: application/json';

/** One collection finds garbage that only the next one frees, and buffers are freed in a later turn. */
const COLLECTIONS = 8;

/** Memory in use, without garbage: objects, and the buffers that belong to them. */
async function usedBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < COLLECTIONS; i++) {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
    await delay(1);
  }
  return least;
}

/** Waits until a condition holds, at most for the time limit of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

const service = await serviceOfFile({ BODY_LIMIT_BYTES: String(LIMIT_BYTES) });

/** @returns memory in bytes that the service keeps after it has read this many bytes of a body or closed the connection */
async function keptBytes(requestLine: string, headers: readonly string[], bodyBytes: number) {
  let serverSide: Socket | undefined;
  const onConnection = (message: unknown) => {
    serverSide = (message as { socket: Socket }).socket;
  };
  diagnostics.subscribe(CONNECTED, onConnection);
  const before = await usedBytes();

  const socket = await openSocket(service.apiUrl);
  const head = [requestLine, 'Host: test', 'Transfer-Encoding: chunked', ...headers, '', ''].join('\r\n');
  socket.resume().write(head + '1\r\n \r\n'.repeat(bodyBytes));
  const sentBytes = head.length + 6 * bodyBytes;
  await until(() => serverSide?.closed === true || serverSide?.bytesRead === sentBytes);
  for (let turns = 0; turns < TURNS; turns++) await turn();
  const kept = (await usedBytes()) - before;

  socket.destroy();
  await until(() => serverSide!.closed);
  diagnostics.unsubscribe(CONNECTED, onConnection);
  return kept;
}

test.each([
  ['a prediction', 'POST /v1/predict', true],
  ['a comparison', 'POST /v1/predict/compare', true],
  ['a ranking', 'POST /v1/predict/rank', true],
  ['a batch', 'POST /v1/predict/batch', true],
  ['a request that is too large (413)', 'POST /v1/predict', true, 10_000],
  ['a request without a key (401)', 'POST /v1/predict/batch', false],
  ['an unknown path (404)', 'POST /v1/nothing', false],
  ['a method that is not allowed (405)', 'PUT /v1/predict', false],
  ['a path that takes no body', 'GET /v1/health', false],
  ['a path with a key that takes no body', 'GET /v1/species', true],
  ['a request without a media type (415)', 'POST /v1/predict', true, 0, [] as string[]],
])(
  'an unfinished body of one-byte chunks to %s takes no more memory than its bytes',
  async (_name, request, hasKey, more = 0, type = [JSON_TYPE]) => {
    const headers = [...type, ...(hasKey ? [`X-API-Key: ${service.key}`] : [])];
    const kept = await keptBytes(`${request} HTTP/1.1`, headers, LIMIT_BYTES + more);
    expect(kept).toBeLessThan(MAX_KEPT_BYTES);
  },
);
