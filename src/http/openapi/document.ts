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

/** A body: the schema of its JSON, or a schema by media type. Each schema has a name, as `meta({ id })`. */
export type Body = z.ZodType | Readonly<Record<string, z.ZodType>>;

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
  // Before the schemas: it names those of the requests.
  const paths = Object.fromEntries(
    endpoints.map((endpoint) => [
      endpoint.path,
      { [endpoint.request ? 'post' : 'get']: operation(endpoint, requests) },
    ]),
  );
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
    paths,
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
    pathParameters,
    query,
    request,
    response,
    headers: ownHeaders = [],
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
    ...ownHeaders,
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
  const parameters = [
    ...parametersOf('path', pathParameters?.(requests)),
    ...parametersOf('query', query?.(requests)),
  ];
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    security: isPublic ? [] : [{ ApiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(request && { requestBody: { required: true, content: contentOf(request(requests)) } }),
    responses: {
      200: success,
      ...(ownHeaders.includes('ETag') && { 304: unchanged(success.headers) }),
      ...(isPublic && { 503: unavailable }),
      ...Object.fromEntries(failures),
    },
  };
}

/** The items under a condition, else none. */
function where<Item extends string>(condition: boolean, ...items: readonly Item[]): readonly Item[] {
  return condition ? items : [];
}

function parametersOf(place: 'path' | 'query', { shape }: z.ZodObject = z.object({})) {
  return Object.entries(shape).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType);
    return {
      name,
      in: place,
      required: !(field as z.ZodType).isOptional(),
      ...(description !== undefined && { description }),
      schema,
      ...(schema.type === 'array' && { style: 'form', explode: false }),
    };
  });
}

function responseObject(description: string, body: Body, headers: readonly HeaderName[] = []) {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...headers];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: contentOf(body),
  };
}

/** The response to a caller whose copy is current; without a body there is nothing to compress. */
function unchanged({ 'Content-Encoding': _, ...headers }: Json) {
  return { description: 'The copy with the ETag of `If-None-Match` is current.', headers };
}

function contentOf(body: Body) {
  const schemas = body instanceof z.ZodType ? { 'application/json': body } : body;
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: schemaOf(schema) }]),
  );
}

function schemaOf(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` };
  return withoutIds(z.toJSONSchema(schema, { io: 'input' }) as Json);
}

/** OpenAPI identifies schemas by their path; the ids and dialect that zod adds would contradict it. */
function withoutIds({ $id, $schema, id, ...schema }: Json): Json {
  return schema;
}
