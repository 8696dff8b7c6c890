import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { ANY_ORIGIN } from '../../config.js';

const EXPOSED_HEADERS =
  'Accept-Ranges, Content-Range, ETag, Model-Outcomes, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, X-Request-Id';
const ALLOWED_HEADERS =
  'Accept, Content-Encoding, Content-Type, If-None-Match, If-Range, Range, X-API-Key, X-Request-Id';

const PREFLIGHT_SECONDS = 3600;

/**
 * Lets pages of the listed origins call the API from a browser. Preflights are answered here, before the hooks that
 * authenticate and count; those of other origins get what OPTIONS gets without this. Credentials (cookies) are never
 * allowed: the key is in a header.
 * @param origins as browsers send them, or ANY_ORIGIN; none adds no headers
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  /** The Access-Control-Allow-Origin for a page of an origin; false if there is no origin or it is not listed. */
  const permitted = (origin: string | undefined) =>
    origin !== undefined &&
    (String(origins) === ANY_ORIGIN ? ANY_ORIGIN : origins.includes(origin) && origin);
  app.register(cors, {
    origin: (origin, done) => done(null, permitted(origin)),
    methods: ['GET', 'POST'],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
