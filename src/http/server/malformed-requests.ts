import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../prediction/errors/api-error.js';
import { renderError } from '../errors.js';
import { requestId } from './request-state.js';

/** Headers that a request may have: many times what callers and proxies send. */
export const MAX_HEADERS = 100;

/** What Node's HTTP parser rejects, by its error code; anything else is a request that is not HTTP. */
const PARSER_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `The request line and headers are too large: send less than 16 KiB and at most ${MAX_HEADERS} headers.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time: send it faster.'],
};

const NOT_HTTP = [400, 'The request is not valid HTTP/1.1.'] as const;

/**
 * Answers a request that Node's HTTP parser rejected, and ends its connection.
 * @param head of the request, if that was parsed and its body was rejected
 * @returns the status, if the connection can still be written to
 */
export function rejectUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  head?: IncomingMessage,
): number | undefined {
  if (!socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [status, message] = PARSER_ERRORS[error.code ?? ''] ?? NOT_HTTP;
  endWithError(socket, invalidRequest(message, status), requestId(head?.headers['x-request-id']));
  return status;
}

/** Answers CONNECT, which no endpoint supports. */
export function rejectTunnel({ headers }: IncomingMessage, socket: Duplex): void {
  // Node removes its listeners from the socket of a tunnel: an error without a listener would end the process.
  socket.on('error', () => socket.destroy());
  const error = { code: 'method_not_allowed', message: 'The method CONNECT is not supported.' } as const;
  const rejection = new ApiError(error, { allow: 'GET, HEAD, POST', connection: 'close' });
  endWithError(socket, rejection, requestId(headers['x-request-id']));
}

/** As Node's server finds it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * What is wrong with the framing of a request that Node's parser accepts although a proxy in front may read it
 * differently. Such a request is rejected and its connection ended.
 */
export function framingError({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return invalidRequest(`A request may have at most ${MAX_HEADERS} headers.`, 431);
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect))
    return invalidRequest('The only supported expectation is 100-continue.', 417);
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return invalidRequest(`HTTP/${httpVersion} is not supported: use HTTP/1.1.`);
  if (headers.host === undefined && httpVersion !== '1.0')
    return invalidRequest('An HTTP/1.1 request needs a Host header.');
  const hosts = rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  );
  if (hosts.length > 1) return invalidRequest('A request may have one Host header only.');
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding === undefined) return undefined;
  if (httpVersion === '1.0') return invalidRequest('An HTTP/1.0 request cannot have a Transfer-Encoding.');
  return transferEncoding.toLowerCase() === 'chunked'
    ? undefined
    : invalidRequest('The only supported Transfer-Encoding is chunked.');
}

/**
 * Refuses HTTP/1.0, which has no chunks: an answer of unknown length that breaks off would end like one that is whole.
 * @param what is answered, with its article
 * @throws ApiError invalid_request
 */
export function requireChunks({ raw }: FastifyRequest, what: string): void {
  if (raw.httpVersion === '1.0')
    throw invalidRequest(`${what} needs HTTP/1.1: in HTTP/1.0 an answer that breaks off would look whole.`);
}

function invalidRequest(message: string, status = 400): ApiError {
  return new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, status);
}

function endWithError(socket: Duplex, error: ApiError, id: string): void {
  const { status, headers, body } = renderError(error);
  const head = Object.entries({ ...headers, 'x-request-id': id });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
