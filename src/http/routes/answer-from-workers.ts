import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Generation } from '../../work/generation.js';
import { RequestSteps } from '../../work/request-steps.js';
import { CLOSED_BEFORE_ANSWER } from '../errors.js';
import { sendStream } from '../response/compression.js';
import { JSON_TYPE } from '../response/headers.js';
import { connectionOf } from '../server/connection.js';
import { callerOf } from '../server/request-state.js';

/** Steps that are cancelled when the response closes; the generation is kept until then. @param release frees memory */
export function openSteps(reply: FastifyReply, generation: Generation, release: () => void): RequestSteps {
  const connection = connectionOf(reply.request.raw);
  const steps = new RequestSteps(callerOf(reply.request).id, generation.batches);
  const cut = () => void connection.destroy();
  generation.streams.add(cut);
  void generation.keepOpen(async () => {
    if (!reply.raw.closed) await new Promise<void>((resolve) => reply.raw.once('close', resolve));
    steps.cancel();
    generation.streams.delete(cut);
    await steps.released();
    release();
  });
  return steps;
}

/** Does the steps before the first byte. @throws ApiError if the caller has hung up, else what they throw */
export async function beforeFirstByte<Result>(
  { request }: FastifyReply,
  steps: RequestSteps,
  work: () => Promise<Result>,
): Promise<Result> {
  let hasBegun = false;
  connectionOf(request.raw).onHangUp(() => {
    if (!hasBegun) steps.cancel();
  });
  try {
    const result = await work();
    if (steps.isCancelled) throw CLOSED_BEFORE_ANSWER;
    return result;
  } catch (error) {
    throw steps.isCancelled ? CLOSED_BEFORE_ANSWER : error;
  } finally {
    hasBegun = true;
    if (steps.hasPredicted) request.state.times = steps; // its times grow until the answer ends
  }
}

/** Bytes of an answer that are buffered for its caller, in addition to what workers have written. */
const BUFFERED_BYTES = 64 * 1024;

/** The content types that have parameters beside the media type. */
const CONTENT_TYPES: Partial<Record<string, string>> = {
  'image/tiff': 'image/tiff; application=geotiff; profile=cloud-optimized',
  'text/csv': 'text/csv; charset=utf-8',
  'application/json': JSON_TYPE,
};

export function contentTypeOf(mediaType: string): string {
  return CONTENT_TYPES[mediaType] ?? mediaType;
}

/** Sends an answer at the pace of its caller; a failure is logged and cuts the connection. @param what names it */
export function sendChunks(
  reply: FastifyReply,
  mediaType: string,
  chunks: AsyncGenerator<Uint8Array>,
  steps: RequestSteps,
  what: string,
): FastifyReply {
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: BUFFERED_BYTES });
  stream.once('error', (err) => {
    if (!steps.isCancelled) reply.log.error({ err }, `${what} was cut off`);
  });
  reply.type(contentTypeOf(mediaType));
  return sendStream(reply, stream);
}
