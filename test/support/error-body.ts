import { expect } from 'vitest';
import type { ErrorObject } from '../../src/formats/errors/api-error.js';
import { errorResponseSchema } from '../../src/http/response/schemas.js';

/** Parses an answer as the error body of the interface and returns its error. @throws if it has another shape */
export function parseErrorBody(body: string): ErrorObject {
  const { error } = errorResponseSchema.parse(JSON.parse(body));
  expect(['code,message', 'code,message,details']).toContain(String(Object.keys(error)));
  expect(error.message).toMatch(/^[^\n]+\.( Did you mean .+\?)?$/);
  // What a stack, a path of this machine or the name of a library would look like.
  const ownWords = body.replaceAll(/\\"(?:[^"\\]|\\[^"])*\\"/g, ''); // without the caller's values, which are quoted
  expect(ownWords).not.toMatch(
    /\.[jt]s\b|node_modules|\bat \w+ \(|fastify|FST_|\bzod\b|piscina|libsql|sqlite/i,
  );
  return error as ErrorObject;
}

/** Expects a failure with a status and code in the one error body, and returns its error. */
export async function expectError(response: Response, status: number, code: string): Promise<ErrorObject> {
  const error = parseErrorBody(await response.text());
  expect({ status: response.status, code: error.code }).toEqual({ status, code });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  return error;
}
