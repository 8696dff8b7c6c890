import type { z } from 'zod';
import type { ErrorCode } from '../errors/api-error.js';

/** The description of an endpoint in /openapi.json. */
export interface Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The schema of its body; none without a body. */
  readonly request?: z.ZodType;
  readonly response: z.ZodType;
  /** An endpoint with `invalid_api_key` needs a key. */
  readonly errors: readonly ErrorCode[];
}

/** Errors of every endpoint that needs a key. */
export const KEY_ERRORS = [
  'invalid_api_key',
  'key_inactive',
  'rate_limit_exceeded',
  'internal_error',
  'unavailable',
] as const satisfies ErrorCode[];

/** Errors of every endpoint with a body. */
export const BODY_ERRORS = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_request',
] as const satisfies ErrorCode[];

/** Errors of every endpoint for one site. */
export const SITE_ERRORS = [
  'invalid_species',
  'outside_coverage',
  'no_nearby_data',
  'overloaded',
] as const satisfies ErrorCode[];
