import { CACHE_CONTROL } from '../response/headers.js';

/** The headers of responses, for /openapi.json. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      "The request's id: the caller's own X-Request-Id where it is 1 to 128 of [A-Za-z0-9._-], else a new one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'Cache-Control': {
    description:
      '`no-store`, but for the lists of GET /v1/species and GET /v1/coverage, which a client may keep for five minutes.',
    schema: { type: 'string', enum: [CACHE_CONTROL.default, CACHE_CONTROL.catalogue] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: with an API key in the header X-API-Key.',
    schema: { type: 'string' },
    example: 'ApiKey realm="nurselog", header="X-API-Key"',
  },
  RateLimit: {
    description: 'Limited tiers: requests left today and seconds until midnight UTC.',
    schema: { type: 'string' },
    example: '"daily";r=99;t=43200',
  },
  'RateLimit-Policy': {
    description: 'Limited tiers: requests a day.',
    schema: { type: 'string' },
    example: '"daily";q=100;w=86400',
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '60',
  },
  Allow: {
    description: 'The methods of the address.',
    schema: { type: 'string' },
    example: 'POST',
  },
  'Content-Encoding': {
    description: 'How a large answer is compressed, for callers who accept it.',
    schema: { type: 'string', enum: ['gzip', 'br', 'zstd'] },
  },
  Vary: {
    description: 'On answers large enough to be compressed.',
    schema: { type: 'string', const: 'accept-encoding' },
  },
  'Server-Timing': {
    description:
      'Milliseconds that the request waited for its run (`queue`) and was in the models (`inference`).',
    schema: { type: 'string' },
    example: 'queue;dur=0.120, inference;dur=1.034',
  },
} as const;

export type HeaderName = keyof typeof HEADERS;
