import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import pLimit from 'p-limit';
import { buffers } from '../../work/memory/buffer-pool.js';
import { MAX_ACCEPT_CHARACTERS } from '../body/media-type.js';

/** Smaller responses fit into one packet, and are not compressed. */
export const PACKET_BYTES = 1400;

/** Responses compressed at the same time, over all connections: each takes some megabytes, and libuv has four threads. */
const MAX_AT_ONCE = 4;
const limited = pLimit(MAX_AT_ONCE);

/** Types of bodies that are already compressed. */
const COMPRESSED = /^image\/|^application\/vnd\.pmtiles/;

export const IDENTITY = 'identity';
/** The value of `Vary` where the encoding was negotiated. */
const BY_ENCODING = 'accept-encoding';
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = zlib.constants;

/** Bits of a window, 256 KiB: with the default each stream would hold megabytes while its caller reads. */
const WINDOW_BITS = 18;

/** Node 22.15 and newer have it. */
const { createZstdCompress, constants } = zlib as unknown as {
  createZstdCompress?: (options: { params: Record<number, number> }) => Transform;
  constants: { ZSTD_c_windowLog: number };
};

/** Compresses quickly and in libuv's threads. */
type Encoding = () => Transform;

/** The encodings in order of preference, at quick levels: docs/performance.md, Compression, has the figures. */
const ENCODINGS = new Map<string, Encoding>();
if (createZstdCompress !== undefined)
  ENCODINGS.set('zstd', () => createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: WINDOW_BITS } }));
ENCODINGS.set('br', () =>
  zlib.createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_LGWIN]: WINDOW_BITS } }),
);
ENCODINGS.set('gzip', () => zlib.createGzip({ level: 2 }));
const OFFERED = [...ENCODINGS.keys(), IDENTITY];

/** Compresses large responses for callers who accept it. Returns bodies in memory of the pool once they are sent. */
export function enableCompression(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const isNegotiated = String(reply.getHeader('vary') ?? '').includes(BY_ENCODING);
    // A range is of the uncompressed bytes.
    const isWhole =
      !reply.hasHeader('content-range') && !COMPRESSED.test(String(reply.getHeader('content-type')));
    if (!Buffer.isBuffer(body) || body.length < PACKET_BYTES || isNegotiated || !isWhole) done(null, payload);
    else compress(reply, body).then((compressed) => done(null, compressed), done);
  });
}

async function compress(reply: FastifyReply, body: Buffer): Promise<Buffer> {
  const encoding = ENCODINGS.get(negotiate(reply));
  if (encoding === undefined) {
    // After a connection broke, the system may still read what was to be sent.
    reply.raw.once('close', () => isSent(reply.raw) && buffers.release(body));
    return body;
  }
  const compressed = await encoded(body, encoding);
  buffers.release(body);
  return compressed;
}

/** The encodings of each constant body that are ready or being computed. */
const encodingsOf = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/** Registers a body that is sent many times, so that each encoding of it is computed once. @returns the same body */
export function constantBody(body: Buffer): Buffer {
  encodingsOf.set(body, new Map());
  return body;
}

function encoded(body: Buffer, encoding: Encoding): Promise<Buffer> {
  const encodings = encodingsOf.get(body);
  const before = encodings?.get(encoding);
  if (before !== undefined) return before;
  const now = limited(async () => {
    const chunks: Buffer[] = [];
    const stream = encoding().on('data', (chunk) => chunks.push(chunk));
    await once(stream.end(body), 'end');
    return Buffer.concat(chunks);
  });
  encodings?.set(encoding, now);
  now.catch(() => encodings?.delete(encoding)); // the next request tries again
  return now;
}

/**
 * Whether a closed response was handed to the system completely. `writableFinished` alone is also true if the
 * connection was destroyed after the response had ended and before all of it was sent.
 */
export function isSent(response: ServerResponse): boolean {
  return response.writableFinished && !response.req.socket.destroyed;
}

/** Sends a stream at the pace of the caller. If it fails, the connection is cut. */
export function sendStream(reply: FastifyReply, body: Readable): FastifyReply {
  const encoding = ENCODINGS.get(negotiate(reply));
  if (encoding === undefined) return reply.send(body);
  const compressed = body.pipe(encoding()).on('error', () => {}); // Fastify listens later
  body.once('error', (error) => compressed.destroy(error));
  compressed.once('close', () => body.destroy());
  return reply.send(compressed);
}

export function addVary(reply: FastifyReply, header: 'accept' | typeof BY_ENCODING): void {
  reply.header('vary', [reply.getHeader('vary'), header].filter(Boolean).join(', '));
}

/** The name of the encoding in which a caller gets a large response, of those offered in order of preference. */
export function preferredEncoding(
  { raw, headers }: FastifyRequest,
  offered: readonly string[] = OFFERED,
): string {
  const accepted = headers['accept-encoding'];
  if (accepted === undefined || accepted.length > MAX_ACCEPT_CHARACTERS) return IDENTITY;
  // The package's types are older than its option.
  const negotiator = new Negotiator(raw) as unknown as {
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  };
  return negotiator.encoding(offered, { preferred: offered }) ?? IDENTITY;
}

/** Chooses the encoding of a response, and sets the headers that name it. */
export function negotiate(reply: FastifyReply, offered?: readonly string[]): string {
  addVary(reply, BY_ENCODING);
  const name = preferredEncoding(reply.request, offered);
  if (name !== IDENTITY) reply.header('content-encoding', name).removeHeader('content-length');
  return name;
}
