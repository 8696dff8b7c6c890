import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { notFound } from '../errors/error-replies.js';

/** What stands before the path where a request names its target in absolute form. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * The methods of every route, for requests that find none. Fastify itself can be asked, but takes what it is asked for
 * as the pattern of a route and compiles it: no question for a caller to write.
 */
export class KnownRoutes {
  readonly #methods = new Map<string, string[]>();

  /** @param app whose routes are to be registered from now on */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      this.#methods.set(url, [...(this.#methods.get(url) ?? []), ...[method].flat()]);
    });
  }

  /** Why an address without a route is refused: nothing is there, or only for other methods. */
  refuse({ method, url }: FastifyRequest): ApiError {
    const path = url.replace(ORIGIN, '').split('?', 1)[0];
    const methods = this.#methods.get(path);
    if (methods === undefined) return notFound(path);
    const allowed = methods.toSorted().join(', ');
    return new ApiError(
      { code: 'method_not_allowed', message: `${method} is not a method of ${path}: use ${allowed}.` },
      { allow: allowed },
    );
  }
}
