import { OUTCOMES } from '../../prediction/artefacts/manifest.js';
import { CACHE_CONTROL } from '../response/headers.js';

function header(description: string, example?: string, constraint: object = {}) {
  return { description, schema: { type: 'string', ...constraint }, ...(example && { example }) };
}

export const HEADERS = {
  'X-Request-Id': header(
    'Id of the request: the id that it was sent with if that is 1 to 128 of [A-Za-z0-9._-], otherwise a new one.',
    undefined,
    { pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'Cache-Control': header(
    '`no-store`, with two exceptions: GET /v1/species and GET /v1/coverage may be cached for five minutes, and ' +
      'surfaces may be cached but must be revalidated with their ETag.',
    undefined,
    { enum: [CACHE_CONTROL.default, CACHE_CONTROL.catalogue, CACHE_CONTROL.revalidated] },
  ),
  'WWW-Authenticate': header(
    'How to authenticate: with an API key in the header X-API-Key.',
    'ApiKey realm="nurselog", header="X-API-Key"',
  ),
  RateLimit: header('Limited tiers: requests left today, seconds to midnight UTC.', '"daily";r=99;t=43200'),
  'RateLimit-Policy': header('Limited tiers: requests per day.', '"daily";q=100;w=86400'),
  'Retry-After': header('Seconds to wait before a retry.', '60', { pattern: '^[0-9]+$' }),
  Allow: header('HTTP methods that the path supports.', 'POST'),
  'Content-Encoding': header('Compression of a large response, for clients that accept it.', undefined, {
    enum: ['gzip', 'br', 'zstd'],
  }),
  Vary: header(
    'Present on responses that are large enough to be compressed and on those whose format `Accept` selects. If pages ' +
      'of other origins are allowed, every response has it, with `Origin`.',
    'accept-encoding',
  ),
  ETag: header('Changes with any byte of the response. Send it in `If-None-Match`.', '"0123456789abcdef"'),
  'Accept-Ranges': header('Present on responses that support `Range` requests.', 'bytes'),
  'Content-Range': header('Bytes sent and full size; with 416, the full size only.', 'bytes 0-16383/6543210'),
  'Model-Outcomes': header(
    'Present on predictions: origin of the outcomes that the models were trained on; see GET /v1/model.',
    undefined,
    { enum: OUTCOMES },
  ),
  'Server-Timing': header(
    'Milliseconds that the request waited (`queue`) and spent in the models (`inference`). For a table, as known when the response begins.',
    'queue;dur=0.120, inference;dur=1.034',
  ),
};

export type HeaderName = keyof typeof HEADERS;
