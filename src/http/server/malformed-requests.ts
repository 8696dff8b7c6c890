import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../formats/errors/api-error.js';
import { renderError } from '../errors.js';
import { requestId } from './request-state.js';

/** Headers that a request may have: many times what callers and proxies send. */
export const MAX_HEADERS = 100;

export const TOO_LATE = transportError('The request did not arrive in time: send it faster.', 408);

/** The error of a request that Node's HTTP parser rejects. */
export function parserError({ code }: NodeJS.ErrnoException): ApiError {
  if (code !== 'HPE_HEADER_OVERFLOW') return transportError('The request is not valid HTTP/1.1.');
  const limits = `less than 16 KiB and at most ${MAX_HEADERS} headers`;
  return transportError(`The request line and headers are too large: send ${limits}.`, 431);
}

/** Answers CONNECT, which no endpoint supports. */
export function rejectTunnel({ headers: { 'x-request-id': id } }: IncomingMessage, socket: Duplex): void {
  // Node removes its listeners from the socket of a tunnel: an error without a listener would end the process.
  socket.on('error', () => socket.destroy());
  const error = { code: 'method_not_allowed', message: 'The method CONNECT is not supported.' } as const;
  endWithError(new ApiError(error, { allow: 'GET, HEAD, POST', connection: 'close' }), socket, id);
}

/** The expression by which Node's server recognizes the expectation. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * The error of a request that Node's parser accepts although a proxy in front may frame it differently; undefined if
 * there is none. Such a request is rejected and its connection ended.
 */
export function framingError({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return transportError(`A request may have at most ${MAX_HEADERS} headers.`, 431);
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect))
    return transportError('The only supported expectation is 100-continue.', 417);
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return transportError(`HTTP/${httpVersion} is not supported: use HTTP/1.1.`);
  if (headers.host === undefined && httpVersion !== '1.0')
    return transportError('An HTTP/1.1 request needs a Host header.');
  const hosts = rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  );
  if (hosts.length > 1) return transportError('A request may have only one Host header.');
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding === undefined) return undefined;
  if (httpVersion === '1.0') return transportError('An HTTP/1.0 request cannot have a Transfer-Encoding.');
  return transferEncoding.toLowerCase() === 'chunked'
    ? undefined
    : transportError('The only supported Transfer-Encoding is chunked.');
}

/** Refuses HTTP/1.0, where a truncated answer of unknown length would look complete. @param what names the answer */
export function requireChunks({ raw }: FastifyRequest, what: string): void {
  if (raw.httpVersion === '1.0')
    throw transportError(`${what} needs HTTP/1.1: in HTTP/1.0 a truncated answer would look complete.`);
}

/** An error of the transport, after which the connection ends. */
export function transportError(message: string, status = 400): ApiError {
  return new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, status);
}

/** Answers without a `ServerResponse`, and ends the connection. @param id as received @param set headers set before */
export function endWithError(error: ApiError, socket: Duplex, id?: string | string[], set = {}): void {
  const { status, headers, body } = renderError(error);
  const head = Object.entries({ ...set, ...headers, 'x-request-id': requestId(id) });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
