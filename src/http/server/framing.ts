import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.js';

/** Headers that a request may have: many times what callers and proxies send. */
export const MAX_HEADERS = 100;

const VERSIONS = ['1.0', '1.1'];

/**
 * What of a request's framing Node's parser lets pass and a proxy before it may read in another way. Such a request is
 * refused and ends its connection.
 */
export function framingError({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return refusal(`A request may have at most ${MAX_HEADERS} headers.`, 431);
  if (!VERSIONS.includes(httpVersion))
    return refusal(`HTTP/${httpVersion} is not spoken here: use HTTP/1.1.`);
  if (headers.host === undefined && httpVersion !== '1.0')
    return refusal('An HTTP/1.1 request needs a Host header.');
  if (countHosts(rawHeaders) > 1) return refusal('A request may have one Host header only.');
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding === undefined) return undefined;
  if (httpVersion === '1.0') return refusal('An HTTP/1.0 request cannot have a Transfer-Encoding.');
  return transferEncoding.toLowerCase() === 'chunked'
    ? undefined
    : refusal('The only Transfer-Encoding that a request may have is chunked.');
}

/** @param rawHeaders names and values in turn */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

function refusal(message: string, status = 400): ApiError {
  return new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, status);
}
