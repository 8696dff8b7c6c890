import { z } from 'zod';
import { TIERS } from '../../accounts/tiers.js';
import type { Config } from '../../config.js';
import { VERSION } from '../../version.js';
import { ERROR_STATUS, type ErrorCode } from '../errors/api-error.js';
import { type batchRequestSchema, compareRequestSchema, predictRequestSchema } from '../request/schemas.js';
import {
  batchResponseSchema,
  compareResponseSchema,
  coverageResponseSchema,
  errorResponseSchema,
  healthResponseSchema,
  predictionResultSchema,
  speciesResponseSchema,
} from '../response/schemas.js';
import { HEADERS, type HeaderName } from './headers.js';

/** What an endpoint's documentation is made from. */
interface Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly request?: z.ZodType;
  readonly response: z.ZodType;
  readonly errors: readonly ErrorCode[];
}

const KEY_ERRORS = [
  'invalid_api_key',
  'key_inactive',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
] as const satisfies ErrorCode[];
const BODY_ERRORS = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_request',
] as const;
const SITE_ERRORS = ['invalid_species', 'outside_coverage', 'no_nearby_data', 'overloaded'] as const;

const batchSizes = Object.entries(TIERS)
  .map(([tier, { sitesPerBatch }]) => `${tier} ${sitesPerBatch}`)
  .join(', ');

const batchRequest = z.object({
  requests: z
    .array(predictRequestSchema)
    .meta({ description: `Entries, at most the tier's batch size: ${batchSizes}.` }),
} satisfies Record<keyof typeof batchRequestSchema.shape, z.ZodType>);

/** The endpoints of the public interface. */
const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'post',
    path: '/v1/predict',
    id: 'predict',
    summary: 'Predict survival for one site, species and planting method',
    request: predictRequestSchema,
    response: predictionResultSchema,
    errors: [...KEY_ERRORS, ...BODY_ERRORS, ...SITE_ERRORS, 'invalid_method'],
  },
  {
    method: 'post',
    path: '/v1/predict/batch',
    id: 'predictBatch',
    summary: 'Predict survival for many sites',
    description:
      'Entries that fail are elements with an `error` in their place, and the batch still answers 200.',
    request: batchRequest,
    response: batchResponseSchema,
    errors: [...KEY_ERRORS, ...BODY_ERRORS, 'batch_too_large', 'overloaded'],
  },
  {
    method: 'post',
    path: '/v1/predict/compare',
    id: 'comparePlantingMethods',
    summary: 'Compare both planting methods at one site',
    request: compareRequestSchema,
    response: compareResponseSchema,
    errors: [...KEY_ERRORS, ...BODY_ERRORS, ...SITE_ERRORS],
  },
  {
    method: 'get',
    path: '/v1/species',
    id: 'listSpecies',
    summary: 'List the species',
    response: speciesResponseSchema,
    errors: KEY_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/coverage',
    id: 'describeCoverage',
    summary: 'List the regions of the coverage',
    response: coverageResponseSchema,
    errors: KEY_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/health',
    id: 'health',
    summary: 'Tell whether the service answers, without a key',
    description: '503 with the same body while it starts, drains or has lost workers.',
    response: healthResponseSchema,
    errors: ['internal_error'],
  },
];

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description of the public interface. */
export function openApiDocument({ bodyLimitBytes }: Pick<Config, 'bodyLimitBytes'>) {
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
        'Predicts how likely a planted tree is to survive 1, 3 and 5 years at a place in Oregon or Washington. ' +
        `Bodies may have ${bodyLimitBytes} bytes. Fields that are not described are ignored. An address that is not ` +
        'described answers with the response NotFound, another method with MethodNotAllowed, and a request that is ' +
        'not HTTP with NotHttp.',
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      ENDPOINTS.map((endpoint) => [endpoint.path, { [endpoint.method]: operation(endpoint) }]),
    ),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema as Json)]),
      ),
      headers: HEADERS,
      responses: {
        NotFound: answer('404 `not_found`', errorResponseSchema),
        MethodNotAllowed: answer('405 `method_not_allowed`', errorResponseSchema, ['Allow']),
        NotHttp: answer('400, 408, 417 or 431 `invalid_request`', errorResponseSchema),
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

function operation({ id, summary, description, request, response, errors }: Endpoint) {
  const isKeyed = errors.includes('invalid_api_key');
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))].sort();
  const success: Json = {
    200: answer('The answer.', response, [
      ...quota(isKeyed),
      ...(request ? (['Server-Timing'] as const) : []),
      'Content-Encoding',
      'Vary',
    ]),
    ...(isKeyed ? {} : { 503: answer('Not in service: `starting`, `degraded` or `draining`.', response) }),
  };
  const failures = statuses.map((status) => {
    const codes = errors.filter((code) => ERROR_STATUS[code] === status);
    const retry: HeaderName[] = status === 429 || status === 503 ? ['Retry-After'] : [];
    const headers: HeaderName[] = [
      ...quota(isKeyed && ![401, 403].includes(status)),
      ...retry,
      // A place is looked up by a worker.
      ...(codes.includes('no_nearby_data') ? (['Server-Timing'] as const) : []),
    ];
    return [status, answer(codes.map((code) => `\`${code}\``).join(', '), errorResponseSchema, headers)];
  });
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    security: isKeyed ? [{ ApiKey: [] }] : [],
    ...(request === undefined ? {} : { requestBody: { required: true, content: json(request) } }),
    responses: { ...success, ...Object.fromEntries(failures) },
  };
}

function quota(isCounted: boolean): HeaderName[] {
  return isCounted ? ['RateLimit', 'RateLimit-Policy'] : [];
}

function answer(description: string, schema: z.ZodType, headers: readonly HeaderName[] = []) {
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

/** OpenAPI names schemas by their place; the ids and dialect that zod adds would contradict it. */
function withoutIds({ $id, $schema, id, ...schema }: Json): Json {
  return schema;
}
