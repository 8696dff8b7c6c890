import { z } from 'zod';
import type { ErrorCode } from '../../prediction/errors/api-error.js';
import { errorResponseSchema } from '../response/schemas.js';
import { ERROR_GUIDE } from './error-guide.js';
import type { HeaderName } from './headers.js';

/** A body: the schema of its JSON, or a schema by media type. Each schema has a name, as `meta({ id })`. */
export type Body = z.ZodType | Readonly<Record<string, z.ZodType>>;

type Json = Record<string, unknown>;

/** A body as an operation refers to it. */
export function contentOf(body: Body, more: object = {}) {
  const schemas = body instanceof z.ZodType ? { 'application/json': body } : body;
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: schemaOf(schema), ...more }]),
  );
}

/** The fields of an object as parameters of an operation. */
export function parametersOf(place: 'path' | 'query', { shape }: z.ZodObject = z.object({})) {
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
export function namedSchemas(): Record<string, Json> {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: 'input' });
  const names = Object.keys(schemas).toSorted();
  return Object.fromEntries(names.map((id) => [id, withoutIds(schemas[id] as Json)]));
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

export function responseObject(
  description: string,
  body: Body,
  headers: readonly HeaderName[] = [],
  more?: object,
) {
  const all: HeaderName[] = ['X-Request-Id', 'Cache-Control', ...headers];
  return {
    description,
    headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: contentOf(body, more),
  };
}

/** The response with one of some errors: by default its description explains them. */
export function errorResponse(
  codes: readonly ErrorCode[],
  headers: readonly HeaderName[] = [],
  description = codes.map((code) => `\`${code}\`: ${ERROR_GUIDE[code].cause}`).join('\n\n'),
) {
  const examples = codes.map((code) => [code, { value: { error: { code, ...ERROR_GUIDE[code].example } } }]);
  return responseObject(description, errorResponseSchema, headers, {
    examples: Object.fromEntries(examples),
  });
}
