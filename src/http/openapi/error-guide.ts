import type { ErrorCode, ErrorObject } from '../../formats/errors/api-error.js';
import { SURFACE_TYPES } from '../../formats/surface/surface-output.js';

interface ErrorGuide {
  readonly cause: string;
  readonly remedy: string;
  /** As the service answers it. */
  readonly example: Omit<ErrorObject, 'code'>;
}

const TRY_AGAIN = 'Retry the request after the number of seconds in `Retry-After`.';

/** Every error code as /docs and /openapi.json explain it. */
export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_json: {
    cause: 'The request body is empty, truncated or not valid JSON.',
    remedy: 'Send the body as JSON in UTF-8. The message says where the JSON ends or is invalid.',
    example: { message: 'The body is not valid JSON: it is truncated after character 1.' },
  },
  invalid_api_key: {
    cause: 'The header `X-API-Key` is missing, or its key is malformed, unknown, revoked or replaced.',
    remedy: 'Send your API key. If it was rotated or revoked, ask the operator for the new one.',
    example: { message: 'The X-API-Key header is missing: send your API key in it.' },
  },
  key_inactive: {
    cause: 'The API key is deactivated.',
    remedy: 'Ask the operator to activate it.',
    example: { message: 'This API key is deactivated: ask for it to be activated.' },
  },
  not_found: {
    cause: 'The path does not exist.',
    remedy: 'Check the path against the endpoints below.',
    example: { message: 'There is nothing at /v1/nothing: /openapi.json lists the endpoints.' },
  },
  method_not_allowed: {
    cause: 'The path does not support the HTTP method.',
    remedy: 'Use a method that the header `Allow` lists.',
    example: { message: 'GET is not a method of /v1/predict: use POST.' },
  },
  not_acceptable: {
    cause: 'The response is not available in a media type that `Accept` allows.',
    remedy: 'Send `Accept` with a media type in `available`, or omit it.',
    example: {
      message: `The answer is available as ${SURFACE_TYPES.join(', ')}; Accept is "text/html".`,
      details: { available: SURFACE_TYPES },
    },
  },
  payload_too_large: {
    cause: 'The request body is larger than the limit.',
    remedy: 'Send fewer sites per request. `limit_bytes` is the limit.',
    example: {
      message: 'The body is larger than the limit of 1048576 bytes.',
      details: { limit_bytes: 1_048_576 },
    },
  },
  unsupported_media_type: {
    cause: 'The endpoint does not accept the `Content-Type` of the request body.',
    remedy: 'Send the `Content-Type` that the message names.',
    example: { message: 'The body must be sent with Content-Type: application/json, not "text/plain".' },
  },
  outside_coverage: {
    cause: 'The location is outside Oregon and Washington.',
    remedy:
      'Check it against `GET /v1/coverage`. The message says whether coordinates look swapped or lack a minus sign.',
    example: {
      message: 'latitude 43.615, longitude -116.202 is outside the coverage, which is Oregon and Washington.',
      details: { suggestion: 'GET /v1/coverage lists the regions and their bounds.' },
    },
  },
  no_nearby_data: {
    cause: 'The location is covered, but no data point lies within the search radius: it is not forest land.',
    remedy: 'Check the coordinates. For the nearest forest, use the location in `nearest`.',
    example: {
      message:
        'No data point lies within 0.8 km of latitude 42.53, longitude -118.45: the nearest is 11.831 km away. ' +
        'The data cover forest land, not urban, agricultural or water areas.',
      details: {
        search_radius_km: 0.8,
        nearest: { latitude: 42.58336, longitude: -118.57497, distance_km: 11.831 },
      },
    },
  },
  invalid_species: {
    cause: 'The species code is unknown.',
    remedy: 'Use a code from `GET /v1/species`, in upper case. The message may suggest a close one.',
    example: {
      message: 'species_code "QUAG" is not a known species code. Did you mean QUGA (Oregon white oak)?',
      details: { suggestion: 'GET /v1/species lists the species codes.' },
    },
  },
  invalid_method: {
    cause: 'The planting method is unknown.',
    remedy: 'Send `manual` or `drone_seeded`.',
    example: { message: 'planting_method must be "manual" or "drone_seeded", not "broadcast".' },
  },
  batch_too_large: {
    cause: 'The request has more entries than the tier allows.',
    remedy: 'Split the request. `tier_limit` is the maximum number of entries per request.',
    example: {
      message: 'The batch has 11 entries; the spore tier allows 10.',
      details: { submitted: 11, tier_limit: 10, tier: 'spore' },
    },
  },
  elevation_mismatch: {
    cause: '`elevation_m` differs by more than 1,000 m from the elevation of the matched point.',
    remedy: 'Check the unit (metres, not feet) and the coordinates.',
    example: {
      message:
        'elevation_m is 2788 m, but the matched point lies at 651 m: the difference may be at most 1000 m. ' +
        'Was it in feet? 2788 ft are 850 m.',
      details: { elevation_m: 2788, matched_elevation_m: 651 },
    },
  },
  invalid_request: {
    cause: 'A field is missing, has the wrong type or is out of range, or an option is misspelled.',
    remedy:
      '`issues`, where present, lists every invalid field and what is allowed; otherwise the message says so.',
    example: {
      message: 'The request is not valid: latitude must be a number from -90 to 90, not "44.12".',
      details: {
        issues: [{ path: 'latitude', message: 'latitude must be a number from -90 to 90, not "44.12"' }],
      },
    },
  },
  rate_limit_exceeded: {
    cause: 'The daily quota of the tier is used up.',
    remedy: 'Wait until midnight UTC (`Retry-After` gives the seconds), or ask for a higher tier.',
    example: {
      message: 'The 100 requests a day of the spore tier are used up until 2026-11-23T00:00:00.000Z.',
      details: { limit: 100, tier: 'spore', resets_at: '2026-11-23T00:00:00.000Z' },
    },
  },
  internal_error: {
    cause: 'The service failed unexpectedly. The request is not counted.',
    remedy: 'Retry the request. If the error persists, report it with the `request_id`.',
    example: {
      message: 'An unexpected error on our side: if it persists, report it with the request id.',
      details: { request_id: '0b7e4c1e-6f0f-4c6e-9c57-2f2f6a1d8c11' },
    },
  },
  overloaded: {
    cause:
      'The work queue is full, or too many tables, plans or surfaces are open; nothing was started. Or the request ' +
      'timed out. The request is not counted.',
    remedy: TRY_AGAIN,
    example: { message: 'The work queue is full and nothing was started: try again shortly.' },
  },
  unavailable: {
    cause: 'The service is starting, or its key store cannot be reached. The request is not counted.',
    remedy: TRY_AGAIN,
    example: { message: 'Keys cannot be checked right now: try again shortly.' },
  },
};
