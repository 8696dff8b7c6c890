import type { ErrorCode } from '../../prediction/errors/api-error.js';
import { errorResponseSchema } from '../response/schemas.js';
import { type Body, contentOf } from './content.js';
import { ERROR_GUIDE } from './error-guide.js';
import type { HeaderName } from './headers.js';

export function responseObject(description: string, body: Body, headers: readonly HeaderName[] = []) {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...headers];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: contentOf(body),
  };
}

/** The response with one of some errors: by default its description explains them. */
export function errorResponse(
  codes: readonly ErrorCode[],
  headers: readonly HeaderName[] = [],
  description = codes.map((code) => `\`${code}\`: ${ERROR_GUIDE[code].cause}`).join('\n\n'),
) {
  const response = responseObject(description, errorResponseSchema, headers);
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { error: { code, ...ERROR_GUIDE[code].example } } }]),
  );
  return {
    ...response,
    content: { 'application/json': { ...response.content['application/json'], examples } },
  };
}

/** The response to a caller whose copy is current: nothing is predicted or compressed. */
export function unchangedResponse(answer: Record<string, object>) {
  const { 'Content-Encoding': _, 'Model-Outcomes': _outcomes, 'Server-Timing': _timing, ...headers } = answer;
  return { description: 'The copy with the ETag of `If-None-Match` is current.', headers };
}
