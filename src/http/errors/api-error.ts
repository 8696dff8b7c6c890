import { z } from 'zod';
import { redactKeys } from '../../accounts/key-format.js';

/** Every error code of the interface with its HTTP status: the one table of them. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_api_key: 401,
  key_inactive: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  outside_coverage: 422,
  no_nearby_data: 422,
  invalid_species: 422,
  invalid_method: 422,
  batch_too_large: 422,
  invalid_request: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  overloaded: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The error object, as it stands in an error body and in a failed element of a batch. */
export interface ErrorObject {
  readonly code: ErrorCode;
  /** A sentence that says what was wrong with which value and what would be right. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export const errorObjectSchema = z.strictObject({
  code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** An error on its way to the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  /**
   * @param headers to send with it
   * @param status where the transport, not the table, decides: what Node's HTTP parser refuses
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

/** A caller's value as an error message shows it: JSON, cut short, and no key in it even where a caller put one. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return JSON.stringify(value);
  const shown = JSON.stringify(redactKeys(value.slice(0, SHOWN_CHARACTERS)));
  return value.length > SHOWN_CHARACTERS ? `${shown}... (${value.length} characters)` : shown;
}
