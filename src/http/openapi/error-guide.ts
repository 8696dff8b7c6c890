import { SURFACE_TYPES } from '../../formats/surface/surface-output.js';
import type { ErrorCode, ErrorObject } from '../../prediction/errors/api-error.js';

interface ErrorGuide {
  /** When it is answered. */
  readonly cause: string;
  /** What the caller can do. */
  readonly remedy: string;
  /** As the service answers it. */
  readonly example: Omit<ErrorObject, 'code'>;
}

const TRY_AGAIN = 'Send the same request again after the seconds of `Retry-After`.';

/** Every error code as /docs and /openapi.json explain it. */
export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_json: {
    cause: 'The body is empty, cut off or not JSON.',
    remedy: 'Send the body as UTF-8 JSON; the message says where it ends or breaks.',
    example: { message: 'The body is not valid JSON: it is truncated after 1 characters.' },
  },
  invalid_api_key: {
    cause: 'The header `X-API-Key` is missing, or its key is malformed, unknown, revoked or rotated away.',
    remedy: 'Send the key that you were given; ask the operator for a new one if it was rotated or revoked.',
    example: { message: 'The X-API-Key header is missing: send your API key in it.' },
  },
  key_inactive: {
    cause: 'The key is deactivated.',
    remedy: 'Ask the operator to activate it.',
    example: { message: 'This API key is deactivated: ask for it to be activated.' },
  },
  not_found: {
    cause: 'Nothing is at this address.',
    remedy: 'Compare the path with the endpoints below.',
    example: { message: 'There is nothing at /v1/nothing: /openapi.json lists the endpoints.' },
  },
  method_not_allowed: {
    cause: 'The address has other methods.',
    remedy: 'Use a method that the header `Allow` names.',
    example: { message: 'GET is not a method of /v1/predict: use POST.' },
  },
  not_acceptable: {
    cause: 'The answer has none of the media types of `Accept`.',
    remedy: 'Send an `Accept` with a type of `available`, or none.',
    example: {
      message: `The answer is available as ${SURFACE_TYPES.join(', ')}; Accept is "text/html".`,
      details: { available: SURFACE_TYPES },
    },
  },
  payload_too_large: {
    cause: 'The body is larger than the limit.',
    remedy: 'Send fewer sites a request; `limit_bytes` is the limit.',
    example: {
      message: 'The body is larger than the limit of 1048576 bytes.',
      details: { limit_bytes: 1_048_576 },
    },
  },
  unsupported_media_type: {
    cause: 'The body was sent with another `Content-Type` than the endpoint takes.',
    remedy: 'Send the `Content-Type` that the message names.',
    example: { message: 'The body must be sent with Content-Type: application/json, not "text/plain".' },
  },
  outside_coverage: {
    cause: 'The place is in neither state.',
    remedy:
      'Compare it with `GET /v1/coverage`. The message says so if coordinates look swapped or a minus is missing.',
    example: {
      message: 'latitude 43.615, longitude -116.202 is outside the coverage, which is Oregon and Washington.',
      details: { suggestion: 'GET /v1/coverage lists the regions and their bounds.' },
    },
  },
  no_nearby_data: {
    cause: 'The place is in a state, but no data point lies within the search radius: it is not forest land.',
    remedy: 'Check the coordinates; if you mean the nearest forest, use the place in `nearest`.',
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
    cause: 'The species code is not served.',
    remedy: 'Use a code of `GET /v1/species`, in upper case. The message proposes the closest one.',
    example: {
      message: 'species_code "QUAG" is not a known species code. Did you mean QUGA (Oregon white oak)?',
      details: { suggestion: 'GET /v1/species lists the species codes.' },
    },
  },
  invalid_method: {
    cause: '`planting_method` is neither method.',
    remedy: 'Send `manual` or `drone_seeded`.',
    example: { message: 'planting_method must be "manual" or "drone_seeded", not "broadcast".' },
  },
  batch_too_large: {
    cause: 'The request has more entries than the tier allows.',
    remedy: 'Divide it: `tier_limit` is the most entries of a request.',
    example: {
      message: 'The batch has 11 entries; the spore tier allows 10.',
      details: { submitted: 11, tier_limit: 10, tier: 'spore' },
    },
  },
  elevation_mismatch: {
    cause: '`elevation_m` is more than 1,000 m from the elevation of the matched point.',
    remedy: 'Check its unit (metres, not feet) and the coordinates.',
    example: {
      message:
        'elevation_m is 2788 m, but the matched point lies at 651 m: at most 1000 m may lie between them. ' +
        'Was it in feet? 2788 ft are 850 m.',
      details: { elevation_m: 2788, matched_elevation_m: 651 },
    },
  },
  invalid_request: {
    cause: 'A field is missing, of the wrong type or out of range, or an option is misspelled.',
    remedy: '`issues` lists every wrong field with what would be right.',
    example: {
      message: 'The request is not valid: latitude must be a number from -90 to 90, not "44.12".',
      details: {
        issues: [{ path: 'latitude', message: 'latitude must be a number from -90 to 90, not "44.12"' }],
      },
    },
  },
  rate_limit_exceeded: {
    cause: 'The requests of the tier are used up for the UTC day.',
    remedy: 'Wait for the seconds of `Retry-After`, until midnight UTC, or ask for a higher tier.',
    example: {
      message: 'The 100 requests a day of the spore tier are used up until 2026-11-23T00:00:00.000Z.',
      details: { limit: 100, tier: 'spore', resets_at: '2026-11-23T00:00:00.000Z' },
    },
  },
  internal_error: {
    cause: 'An unexpected failure of the service. It is not counted.',
    remedy: 'Try again; if it persists, report it with the `request_id`.',
    example: {
      message: 'An unexpected error on our side: if it persists, report it with the request id.',
      details: { request_id: '0b7e4c1e-6f0f-4c6e-9c57-2f2f6a1d8c11' },
    },
  },
  overloaded: {
    cause:
      'The work queue is full or too many tables, plans or surfaces are open, and nothing was started; or the request ' +
      'waited too long. It is not counted.',
    remedy: TRY_AGAIN,
    example: { message: 'The work queue is full and nothing was started: try again shortly.' },
  },
  unavailable: {
    cause: 'The service is starting, or its key store cannot be reached. It is not counted.',
    remedy: TRY_AGAIN,
    example: { message: 'Keys cannot be checked right now: try again shortly.' },
  },
};
