import type { z } from 'zod';
import type { ErrorCode } from '../../formats/errors/api-error.js';
import type { RequestSchemas } from '../../formats/request/schemas.js';
import type { HeaderName } from './headers.js';

/** The groups of endpoints, in order. */
export const TAGS = {
  Predictions: 'Survival predictions for planted and drone-seeded trees.',
  Catalogue: 'Species, regions and models.',
  Service: 'Usage of the API key and health of the service.',
};

/** A body: the schema of its JSON, or a schema by media type. Each schema has a name, as `meta({ id })`. */
export type Body = z.ZodType | Readonly<Record<string, z.ZodType>>;

/** An endpoint as /openapi.json describes it. */
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
  readonly pathParameters?: z.ZodObject;
  /** The parameters of the query. Elements of arrays are separated by commas. */
  readonly query?: (schemas: RequestSchemas) => z.ZodObject;
  /** The body of a POST; without one it is a GET. */
  readonly request?: (schemas: RequestSchemas) => Body;
  readonly response: Body;
  /** Headers of its answer in addition to those of every answer; with `ETag` it also answers 304. */
  readonly headers?: readonly HeaderName[];
  /** Its errors in addition to those of keys and bodies and to `internal_error`. */
  readonly errors?: readonly ErrorCode[];
}
