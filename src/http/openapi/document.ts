import { z } from 'zod';
import type { Config } from '../../config.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { PLANTING_METHODS } from '../../prediction/dimensions.js';
import { VERSION } from '../../version.js';
import { ERROR_STATUS, type ErrorCode } from '../errors/api-error.js';
import { optionRulesOf } from '../request/option-schemas.js';
import { type RequestSchemas, requestSchemas } from '../request/schemas.js';
import { errorResponseSchema } from '../response/schemas.js';
import { HEADERS, type HeaderName } from './headers.js';

/** The description of an endpoint. */
export interface Endpoint {
  readonly path: string;
  /** The `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether it answers without a key. */
  readonly isPublic?: boolean;
  /** Whether it is not counted, and so never refused for the quota. */
  readonly isFree?: boolean;
  /** The schema of the body of a POST; without one it is a GET. */
  readonly request?: (schemas: RequestSchemas) => z.ZodType;
  readonly response: z.ZodType;
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

type Json = Record<string, unknown>;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The OpenAPI 3.1 description of the public interface, and what its readers have to know of the models. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { bodyLimitBytes }: Pick<Config, 'bodyLimitBytes'>,
  artefacts: Pick<Artefacts, 'manifest' | 'grid'>,
) {
  const { caution, alive } = artefacts.manifest;
  const requests = requestSchemas(optionRulesOf(artefacts));
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'input',
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'nurselog',
      version: VERSION,
      description:
        'Predicts how likely a planted tree is to survive 1, 3 and 5 years at a place in Oregon or Washington.\n\n' +
        `${caution}\n\n${PLANTING_METHODS.map((method) => `\`${method}\`: ${alive[method]}`).join('\n\n')}\n\n` +
        `Bodies may have ${bodyLimitBytes} bytes. Fields that are not described are ignored. An address that is not ` +
        'described answers with the response NotFound, another method with MethodNotAllowed, and a request that is ' +
        'not HTTP with NotHttp.',
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.path,
        { [endpoint.request ? 'post' : 'get']: operation(endpoint, requests) },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema as Json)]),
      ),
      headers: HEADERS,
      responses: {
        NotFound: responseObject('404 `not_found`', errorResponseSchema),
        MethodNotAllowed: responseObject('405 `method_not_allowed`', errorResponseSchema, ['Allow']),
        NotHttp: responseObject('400, 408, 417 or 431 `invalid_request`', errorResponseSchema),
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

function operation(
  {
    id,
    summary,
    description,
    isPublic = false,
    isFree = false,
    request,
    response,
    errors: own = [],
  }: Endpoint,
  requests: RequestSchemas,
) {
  const errors: ErrorCode[] = [
    ...where(!isPublic, ...KEY_ERRORS).filter((code) => !isFree || code !== 'rate_limit_exceeded'),
    'internal_error',
    ...where(request !== undefined, ...BODY_ERRORS),
    ...own,
  ];
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))].sort();
  const success = responseObject('The answer.', response, [
    ...where(!isPublic, ...QUOTA_HEADERS),
    ...where(request !== undefined, 'Model-Outcomes', 'Server-Timing'),
    'Content-Encoding',
    'Vary',
  ]);
  const unavailable = responseObject('Not in service: `starting`, `degraded` or `draining`.', response);
  const failures = statuses.map((status) => {
    const codes = errors.filter((code) => ERROR_STATUS[code] === status);
    const headers = [
      ...where(status === 401, 'WWW-Authenticate'),
      ...where(!isPublic && status !== 401 && status !== 403, ...QUOTA_HEADERS),
      ...where(status === 429 || status === 503, 'Retry-After'),
      // Only the prediction finds out that there is no data.
      ...where(codes.includes('no_nearby_data'), 'Server-Timing'),
    ];
    const description = codes.map((code) => `\`${code}\``).join(', ');
    return [status, responseObject(description, errorResponseSchema, headers)];
  });
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    security: isPublic ? [] : [{ ApiKey: [] }],
    ...(request && { requestBody: { required: true, content: json(request(requests)) } }),
    responses: { 200: success, ...(isPublic && { 503: unavailable }), ...Object.fromEntries(failures) },
  };
}

/** The items under a condition, else none. */
function where<Item extends string>(condition: boolean, ...items: readonly Item[]): readonly Item[] {
  return condition ? items : [];
}

function responseObject(description: string, schema: z.ZodType, headers: readonly HeaderName[] = []) {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...headers];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: json(schema),
  };
}

function json(schema: z.ZodType) {
  const id = z.globalRegistry.get(schema)?.id;
  const described =
    id === undefined
      ? withoutIds(z.toJSONSchema(schema, { io: 'input' }) as Json)
      : { $ref: `#/components/schemas/${id}` };
  return { 'application/json': { schema: described } };
}

/** OpenAPI identifies schemas by their path; the ids and dialect that zod adds would contradict it. */
function withoutIds({ $id, $schema, id, ...schema }: Json): Json {
  return schema;
}
