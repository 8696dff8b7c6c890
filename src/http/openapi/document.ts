import type { z } from 'zod';
import type { Config } from '../../config.js';
import { optionRulesOf } from '../../formats/request/options.js';
import { type RequestSchemas, requestSchemas } from '../../formats/request/schemas.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { ERROR_STATUS, type ErrorCode } from '../../prediction/errors/api-error.js';
import { VERSION } from '../../version.js';
import {
  type Body,
  contentOf,
  errorResponse,
  namedSchemas,
  parametersOf,
  responseObject,
} from './content.js';
import { guide } from './guide.js';
import { HEADERS, type HeaderName } from './headers.js';

/** The groups of endpoints, in order. */
const TAGS = {
  Predictions: 'How likely planted trees are to survive.',
  Catalogue: 'Species, regions and models.',
  Service: 'The key and the service.',
};

/** The description of an endpoint. */
export interface Endpoint {
  readonly path: string;
  /** The `operationId`. */
  readonly id: string;
  /** Its group; by default the predictions. */
  readonly tag?: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  /** Whether it answers without a key. */
  readonly isPublic?: boolean;
  /** Whether it is not counted, so that the quota never refuses it. */
  readonly isFree?: boolean;
  /** The parameters of the path, which stand in it as `{name}`. */
  readonly pathParameters?: (schemas: RequestSchemas) => z.ZodObject;
  /** The parameters of the query. Elements of arrays are separated by commas. */
  readonly query?: (schemas: RequestSchemas) => z.ZodObject;
  /** The body of a POST; without one it is a GET. */
  readonly request?: (schemas: RequestSchemas) => Body;
  readonly response: Body;
  /** Headers of its answer beside those of every answer; with `ETag` it answers 304, too. */
  readonly headers?: readonly HeaderName[];
  /** Its errors beside KEY_ERRORS, BODY_ERRORS and `internal_error`. */
  readonly errors?: readonly ErrorCode[];
}

/** The errors of every endpoint with a key. */
const KEY_ERRORS = ['invalid_api_key', 'key_inactive', 'rate_limit_exceeded', 'unavailable'] as const;
/** The errors of every endpoint with a body. */
const BODY_ERRORS = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_request',
] as const;
/** The errors of every endpoint for one site. */
export const SITE_ERRORS = [
  'invalid_species',
  'outside_coverage',
  'no_nearby_data',
  'elevation_mismatch',
  'overloaded',
] as const;

const QUOTA_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The OpenAPI 3.1 description of the public interface, and what its readers have to know of the models. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { bodyLimitBytes }: Pick<Config, 'bodyLimitBytes'>,
  artefacts: Pick<Artefacts, 'manifest' | 'grid' | 'species'>,
) {
  const requests = requestSchemas(optionRulesOf(artefacts), artefacts.species);
  return {
    openapi: '3.1.0',
    info: {
      title: 'nurselog',
      version: VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description: guide(artefacts.manifest, bodyLimitBytes),
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    // Before the components: it names the schemas of the requests.
    paths: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.path,
        { [endpoint.request ? 'post' : 'get']: operation(endpoint, requests) },
      ]),
    ),
    components: {
      schemas: namedSchemas(),
      headers: HEADERS,
      responses: {
        NotFound: errorResponse(['not_found'], [], '404 `not_found`'),
        MethodNotAllowed: errorResponse(['method_not_allowed'], ['Allow'], '405 `method_not_allowed`'),
        NotHttp: errorResponse(['invalid_request'], [], '400, 408, 417 or 431 `invalid_request`'),
      },
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: '`nurse_live_` and 32 hexadecimal digits.',
        },
      },
    },
  };
}

function operation(endpoint: Endpoint, requests: RequestSchemas) {
  const { id, tag = 'Predictions', summary, description, isPublic, isFree, request, response } = endpoint;
  const { headers: ownHeaders = [] } = endpoint;
  const errors: ErrorCode[] = [
    ...where(!isPublic, ...KEY_ERRORS).filter((code) => !isFree || code !== 'rate_limit_exceeded'),
    'internal_error',
    ...where(request, ...BODY_ERRORS),
    ...(endpoint.errors ?? []),
  ];
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))].sort();
  const success = responseObject('The answer.', response, [
    ...where(!isPublic, ...QUOTA_HEADERS),
    ...where(request, 'Model-Outcomes', 'Server-Timing'),
    'Content-Encoding',
    'Vary',
    ...ownHeaders,
  ]);
  const failures = statuses.map((status) => {
    const codes = errors.filter((code) => ERROR_STATUS[code] === status);
    const headers = [
      ...where(status === 401, 'WWW-Authenticate'),
      ...where(!isPublic && status !== 401 && status !== 403, ...QUOTA_HEADERS),
      ...where(status === 429 || status === 503, 'Retry-After'),
      // Only the prediction finds out that there is no data.
      ...where(codes.includes('no_nearby_data'), 'Server-Timing'),
    ];
    return [status, errorResponse(codes, headers)];
  });
  const parameters = [
    ...parametersOf('path', endpoint.pathParameters?.(requests)),
    ...parametersOf('query', endpoint.query?.(requests)),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: isPublic ? [] : [{ ApiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(request && { requestBody: { required: true, content: contentOf(request(requests)) } }),
    responses: {
      200: success,
      ...(ownHeaders.includes('ETag') && { 304: unchangedResponse(success) }),
      ...(ownHeaders.includes('Accept-Ranges') && rangeResponses(response, success)),
      ...(isPublic && {
        '4XX': { $ref: '#/components/responses/NotHttp' },
        503: responseObject('Not in service: `starting`, `degraded` or `draining`.', response),
      }),
      ...(request && { 408: errorResponse(['invalid_request'], [], 'The body did not arrive in time.') }),
      ...Object.fromEntries(failures),
    },
  };
}

/** The response to a caller whose copy is current: nothing is predicted or compressed. */
function unchangedResponse({ headers }: { headers: Record<string, object> }) {
  const {
    'Accept-Ranges': _ranges,
    'Content-Encoding': _coding,
    'Model-Outcomes': _outcomes,
    'Server-Timing': _timing,
    ...kept
  } = headers;
  return { description: 'The copy with the ETag of `If-None-Match` is current.', headers: kept };
}

function rangeResponses(body: Body, { headers }: { headers: Record<string, object> }) {
  const range: HeaderName[] = ['Accept-Ranges', 'Content-Range'];
  const partial = responseObject('The range of the answer.', body, range);
  return {
    206: { ...partial, headers: { ...headers, ...partial.headers } },
    416: errorResponse(['invalid_request'], range, 'No byte of the answer is in the range.'),
  };
}

/** The items under a condition, else none. */
function where<Item extends string>(condition: unknown, ...items: readonly Item[]): readonly Item[] {
  return condition ? items : [];
}
