import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApiError } from '../../formats/errors/api-error.js';
import { show } from '../../formats/errors/shown-value.js';

/** A longer Accept or Accept-Encoding is ignored: negotiating thousands of values would take milliseconds. */
export const MAX_ACCEPT_CHARACTERS = 500;

const PARAMETERS =
  /;\s*(charset="?utf-?8"?|header=present|application="?geotiff"?|profile="?cloud-optimized"?)/gi;

/** @param available the media types that an answer can have, the one to prefer first @throws ApiError not_acceptable */
export function negotiateType<MediaType extends string>(
  { headers: { accept } }: FastifyRequest,
  available: readonly [MediaType, ...MediaType[]],
): MediaType {
  if (!accept?.trim() || accept.length > MAX_ACCEPT_CHARACTERS) return available[0];
  // Callers may name parameters that hold anyway: the charset, the header line of CSV, what a TIFF is.
  const headers = { accept: accept.replaceAll(PARAMETERS, '') };
  const accepted = new Negotiator({ headers }).mediaType([...available]);
  if (accepted !== undefined) return accepted as MediaType;
  throw new ApiError({
    code: 'not_acceptable',
    message: `The answer is available as ${available.join(', ')}; Accept is ${show(accept)}.`,
    details: { available },
  });
}
