import { z } from 'zod';
import type { Config } from '../../config.js';
import { ERROR_STATUS, type ErrorCode } from '../../formats/errors/api-error.js';
import { type RequestSchemas, requestSchemas } from '../../formats/request/schemas.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { VERSION } from '../../version.js';
import { errorResponseSchema } from '../response/schemas.js';
import { type Body, type Endpoint, TAGS } from './endpoint.js';
import { ERROR_GUIDE } from './error-guide.js';
import { guide } from './guide.js';
import { HEADERS, type HeaderName } from './headers.js';

const QUOTA_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The OpenAPI 3.1 description of the public interface, and what its readers have to know of the models. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { bodyLimitBytes }: Pick<Config, 'bodyLimitBytes'>,
  data: PredictorData,
) {
  const requests = requestSchemas(data);
  return {
    openapi: '3.1.0',
    info: {
      title: 'nurselog',
      version: VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description: guide(data.manifest, bodyLimitBytes),
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
          description: 'The API key: `nurse_live_` followed by 32 hexadecimal digits.',
        },
      },
    },
  };
}

function operation(endpoint: Endpoint, requests: RequestSchemas) {
  const { id, tag = 'Predictions', summary, description, isPublic, isFree, request, response } = endpoint;
  const { headers: ownHeaders = [] } = endpoint;
  const errors: ErrorCode[] = [
    ...itemsIf(!isPublic, 'invalid_api_key', 'key_inactive', 'unavailable'),
    ...itemsIf(!isPublic && !isFree, 'rate_limit_exceeded'),
    'internal_error',
    ...itemsIf(request, 'invalid_json', 'payload_too_large', 'unsupported_media_type', 'invalid_request'),
    ...(endpoint.errors ?? []),
  ];
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))].sort();
  const success = responseObject('Success.', response, [
    ...itemsIf(!isPublic, ...QUOTA_HEADERS),
    ...itemsIf(request, 'Model-Outcomes', 'Server-Timing'),
    'Content-Encoding',
    'Vary',
    ...ownHeaders,
  ]);
  const failures = statuses.map((status) => {
    const codes = errors.filter((code) => ERROR_STATUS[code] === status);
    const headers: HeaderName[] = [
      ...itemsIf(status === 401, 'WWW-Authenticate'),
      ...itemsIf(!isPublic && status !== 401 && status !== 403, ...QUOTA_HEADERS),
      ...itemsIf(status === 429 || status === 503, 'Retry-After'),
      // Only the prediction finds out that there is no data.
      ...itemsIf(codes.includes('no_nearby_data'), 'Server-Timing'),
      ...itemsIf(codes.includes('invalid_request'), 'Content-Encoding'),
      'Vary',
    ];
    return [status, errorResponse(codes, headers)];
  });
  const parameters = [
    ...parametersOf('path', endpoint.pathParameters),
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
        503: responseObject('The `status` is `starting`, `degraded` or `draining`.', response),
      }),
      ...(request && { 408: errorResponse(['invalid_request'], QUOTA_HEADERS, 'The body arrived late.') }),
      ...Object.fromEntries(failures),
    },
  };
}

/** The response to a caller whose copy is current: nothing is predicted or compressed. */
function unchangedResponse(success: { headers: Record<string, object> }) {
  const left = ['Accept-Ranges', 'Content-Encoding', 'Server-Timing'];
  const headers = Object.entries(success.headers).filter(([name]) => !left.includes(name));
  const description = 'The copy with the ETag in `If-None-Match` is current.';
  return { description, headers: Object.fromEntries(headers) };
}

function rangeResponses(body: Body, { headers }: { headers: Record<string, object> }) {
  const range: HeaderName[] = ['Accept-Ranges', 'Content-Range', 'Server-Timing', ...QUOTA_HEADERS];
  const partial = responseObject('The requested byte range of the response.', body, range);
  return {
    206: { ...partial, headers: { ...headers, ...partial.headers } },
    416: errorResponse(['invalid_request'], range, 'The requested range contains no byte of the response.'),
  };
}

function itemsIf<Item extends string>(condition: unknown, ...items: readonly Item[]): readonly Item[] {
  return condition ? items : [];
}

type Json = Record<string, unknown>;

function contentOf(body: Body, more: object = {}) {
  const schemas = body instanceof z.ZodType ? { 'application/json': body } : body;
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: schemaOf(schema), ...more }]),
  );
}

/** The fields of an object as parameters of an operation. */
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

/** Every schema that has a name, by name. Sorted, since modules may be loaded in any order. */
function namedSchemas(): Record<string, Json> {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: 'input' });
  const names = Object.keys(schemas).toSorted();
  return Object.fromEntries(names.map((id) => [id, forOpenApi(schemas[id] as Json)]));
}

function schemaOf(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` };
  return forOpenApi(z.toJSONSchema(schema, { io: 'input' }) as Json);
}

/** Without zod's ids and dialect, which contradict OpenAPI's; with the format that keeps some clients from rounding. */
function forOpenApi({ $id, $schema, id, ...schema }: Json): Json {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    [value?.type].flat().includes('number') ? { ...value, format: 'double' } : value,
  );
}

function responseObject(description: string, body: Body, headers: readonly HeaderName[] = [], more?: object) {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...headers];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: contentOf(body, more),
  };
}

/** The response with one of some errors: by default its description explains them. */
function errorResponse(
  codes: readonly ErrorCode[],
  headers: readonly HeaderName[] = [],
  description = codes.map((code) => `\`${code}\`: ${ERROR_GUIDE[code].cause}`).join('\n\n'),
) {
  const examples = codes.map((code) => [code, { value: { error: { code, ...ERROR_GUIDE[code].example } } }]);
  return responseObject(description, errorResponseSchema, headers, {
    examples: Object.fromEntries(examples),
  });
}
