import { OUTCOMES } from '../../prediction/artefacts/manifest.js';
import { CACHE_CONTROL } from '../response/headers.js';

function header(description: string, example?: string, constraint: object = {}) {
  return { description, schema: { type: 'string', ...constraint }, ...(example && { example }) };
}

/** The headers of responses, for /openapi.json. */
export const HEADERS = {
  'X-Request-Id': header(
    "The request's id: the caller's own X-Request-Id where it is 1 to 128 of [A-Za-z0-9._-], else a new one.",
    undefined,
    { pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'Cache-Control': header(
    '`no-store`, except for GET /v1/species and GET /v1/coverage, which a client may keep for five minutes, and for ' +
      'surfaces, which it may keep and must revalidate with their ETag.',
    undefined,
    { enum: [CACHE_CONTROL.default, CACHE_CONTROL.catalogue, CACHE_CONTROL.revalidated] },
  ),
  'WWW-Authenticate': header(
    'How to authenticate: with an API key in the header X-API-Key.',
    'ApiKey realm="nurselog", header="X-API-Key"',
  ),
  RateLimit: header(
    'Limited tiers: requests left today and seconds until midnight UTC.',
    '"daily";r=99;t=43200',
  ),
  'RateLimit-Policy': header('Limited tiers: requests a day.', '"daily";q=100;w=86400'),
  'Retry-After': header('Seconds after which to try again.', '60', { pattern: '^[0-9]+$' }),
  Allow: header('The methods of the address.', 'POST'),
  'Content-Encoding': header('How a large answer is compressed, for callers who accept it.', undefined, {
    enum: ['gzip', 'br', 'zstd'],
  }),
  Vary: header(
    'On answers large enough to be compressed, on those whose format `Accept` chooses, and with `Origin` on all where ' +
      'browsers of other origins are allowed.',
    'accept-encoding',
  ),
  ETag: header('Changes with any byte of the answer: send it as If-None-Match.', '"0123456789abcdef"'),
  'Accept-Ranges': header('On answers that can be read by `Range`.', 'bytes'),
  'Content-Range': header('Which bytes of the answer follow, or how many it has.', 'bytes 0-16383/6543210'),
  'Model-Outcomes': header(
    'On predictions: whether the models were trained on simulated or on observed outcomes; see GET /v1/model.',
    undefined,
    { enum: OUTCOMES },
  ),
  'Server-Timing': header(
    'Milliseconds that the request waited (`queue`) and was in the models (`inference`); of a table, as known when its answer begins.',
    'queue;dur=0.120, inference;dur=1.034',
  ),
};

export type HeaderName = keyof typeof HEADERS;
