import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ANSWER_HEADERS } from '../response/default-headers.js';
import { MAX_HEADERS } from '../server/framing.js';
import { endLingering } from '../server/linger.js';
import { requestId } from '../server/request-id.js';
import { ApiError } from './api-error.js';

/** What Node's HTTP parser refuses, by its error code; anything else is a request that is not HTTP. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `The request line and headers are too large: send less than 16 KiB and at most ${MAX_HEADERS} headers.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time: send it faster.'],
};

const NOT_HTTP = [400, 'The request is not valid HTTP/1.1.'] as const;

/** Answers a connection whose request Node's HTTP parser refused, with the one error body, and ends it. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  // What a caller sends on after its request was refused comes here too.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? NOT_HTTP;
  writeRefusal(socket, new ApiError({ code: 'invalid_request', message }, {}, status), requestId(undefined));
}

/** Answers CONNECT, which is no method of a service. */
export function refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
  // Node takes its hands off the socket of a tunnel: an error without a listener would end the process.
  socket.on('error', () => socket.destroy());
  const error = { code: 'method_not_allowed', message: 'CONNECT is not a method of this service.' } as const;
  writeRefusal(socket, new ApiError(error, { allow: 'GET, HEAD, POST' }), requestId(headers['x-request-id']));
}

/** Answers an `Expect` header other than 100-continue. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = {
    code: 'invalid_request',
    message: 'The only expectation that can be met is 100-continue.',
  } as const;
  response.writeHead(417, {
    ...ANSWER_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId(request.headers['x-request-id']),
    connection: 'close',
  });
  response.end(JSON.stringify({ error }));
}

function writeRefusal(socket: Duplex, { status, error, headers }: ApiError, id: string): void {
  const body = JSON.stringify({ error });
  const head = {
    ...ANSWER_HEADERS,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    connection: 'close',
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  endLingering(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
