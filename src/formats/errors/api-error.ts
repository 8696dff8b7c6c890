import { z } from 'zod';

/** Every error code of the interface with its HTTP status. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_api_key: 401,
  key_inactive: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  payload_too_large: 413,
  unsupported_media_type: 415,
  outside_coverage: 422,
  no_nearby_data: 422,
  invalid_species: 422,
  invalid_method: 422,
  batch_too_large: 422,
  elevation_mismatch: 422,
  invalid_request: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  overloaded: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The error object of an error body and of a failed element of a batch. */
export const errorObjectSchema = z
  .strictObject({
    code: z
      .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
      .meta({ examples: ['outside_coverage'] }),
    message: z.string().meta({
      description: 'Which value is invalid, why, and what is allowed.',
      examples: [
        'latitude 43.615, longitude -116.202 is outside the coverage, which is Oregon and Washington.',
      ],
    }),
    details: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .meta({
        description: 'More about the error. The fields depend on `code`.',
        examples: [{ suggestion: 'GET /v1/coverage lists the regions and their bounds.' }],
      }),
  })
  .meta({ id: 'ErrorObject' });

export type ErrorObject = Readonly<z.output<typeof errorObjectSchema>>;

/** A failed request, as an exception. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /**
   * @param headers of its response
   * @param status of the response where ERROR_STATUS does not decide: transport errors
   */
  constructor(
    readonly error: ErrorObject,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly status: number = ERROR_STATUS[error.code],
  ) {
    super(error.message);
  }
}
