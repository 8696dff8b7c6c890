import { z } from 'zod';
import { redactKeys } from '../../accounts/key-format.js';

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
export const errorObjectSchema = z.strictObject({
  code: z
    .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
    .meta({ examples: ['outside_coverage'] }),
  message: z.string().meta({
    description: 'Which value was wrong, why, and what would be right.',
    examples: [
      'latitude 43.615, longitude -116.202 is outside the coverage, which is Oregon and Washington.',
    ],
  }),
  details: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .meta({
      description: 'More about it, by code.',
      examples: [{ suggestion: 'GET /v1/coverage lists the regions and their bounds.' }],
    }),
});

export type ErrorObject = Readonly<z.output<typeof errorObjectSchema>>;

/** A failed request, as an exception. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  /**
   * @param headers of its response
   * @param status of the response where ERROR_STATUS does not decide: transport errors
   */
  constructor(
    readonly error: ErrorObject,
    readonly headers: Readonly<Record<string, string>> = {},
    status: number = ERROR_STATUS[error.code],
  ) {
    super(error.message);
    this.status = status;
  }
}

const SHOWN_CHARACTERS = 40;

/** A number of JSON that is too large for a number of JavaScript, or has too many digits, as it was sent. */
export class OversizedNumber {
  constructor(readonly text: string) {}
}

/** A caller's value as an error message shows it: JSON, truncated, with API keys redacted. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof OversizedNumber) return truncated(value.text, value.text.slice(0, SHOWN_CHARACTERS));
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return JSON.stringify(value);
  return truncated(value, JSON.stringify(redactKeys(value.slice(0, SHOWN_CHARACTERS))));
}

function truncated(text: string, shown: string): string {
  return text.length > SHOWN_CHARACTERS ? `${shown}... (${text.length} characters)` : shown;
}
