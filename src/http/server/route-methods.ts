import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { notFound } from '../errors/common-errors.js';

/** Scheme and authority of a request target in absolute form. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Records the methods of every route registered from now on. Fastify's own lookup compiles the path it is asked for as a
 * route pattern, so that a caller could choose the pattern.
 * @returns gives the error of a request without a route: 404, or 405 where the path has other methods
 */
export function trackRouteMethods(app: FastifyInstance): (request: FastifyRequest) => ApiError {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  return ({ method, url }) => {
    const [path] = url.replace(ORIGIN, '').split('?', 1);
    const methods = methodsOf.get(path);
    if (methods === undefined) return notFound(path);
    const allowed = methods.toSorted().join(', ');
    return new ApiError(
      { code: 'method_not_allowed', message: `${method} is not a method of ${path}: use ${allowed}.` },
      { allow: allowed },
    );
  };
}
