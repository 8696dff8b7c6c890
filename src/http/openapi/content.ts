import { z } from 'zod';

/** A body: the schema of its JSON, or a schema by media type. Each schema has a name, as `meta({ id })`. */
export type Body = z.ZodType | Readonly<Record<string, z.ZodType>>;

type Json = Record<string, unknown>;

/** A body as an operation refers to it. */
export function contentOf(body: Body) {
  const schemas = body instanceof z.ZodType ? { 'application/json': body } : body;
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [type, { schema: schemaOf(schema) }]),
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

/** Every schema that has a name, by name. */
export function namedSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'input',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema as Json)]));
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
