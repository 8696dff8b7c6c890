import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import pLimit from 'p-limit';

/** Smaller answers fit into a packet as they are. */
const MIN_BYTES = 1400;

/**
 * Answers that are compressed at the same time, those of all connections together: each takes some megabytes meanwhile.
 * libuv has as many threads for them.
 */
const MAX_AT_ONCE = 4;
const limited = pLimit(MAX_AT_ONCE);

/** Of an Accept-Encoding; to weigh thousands of encodings would take milliseconds. */
const MAX_ACCEPT_CHARACTERS = 500;

const IDENTITY = 'identity';
const { BROTLI_PARAM_QUALITY } = zlib.constants;
const FAST_BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 1 } };
const DENSE_BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 9 } };
const FAST_GZIP = { level: 2 };
const DENSE_GZIP = { level: 9 };

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
/** Node 22.15 and newer have it. */
const { zstdCompress, zstdCompressSync } = zlib as {
  zstdCompress?: (body: Buffer, done: zlib.CompressCallback) => void;
  zstdCompressSync?: (body: Buffer) => Buffer;
};

interface Encoding {
  /** For an answer, in libuv's threads: quickly. */
  compress(body: Buffer): Promise<Buffer>;
  /** For what is compressed once, in this thread: well. */
  compressOnce(body: Buffer): Buffer;
}

/**
 * The encodings, the one preferred first. At these levels an answer of 600 KB costs 0.6 to 1.5 ms of CPU and saves 42 of
 * its 49 ms at 100 Mbit/s; docs/performance.md has the figures.
 */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ...(zstdCompress === undefined || zstdCompressSync === undefined
    ? []
    : ([['zstd', { compress: promisify(zstdCompress), compressOnce: zstdCompressSync }]] as const)),
  [
    'br',
    {
      compress: (body) => brotli(body, FAST_BROTLI),
      compressOnce: (body) => zlib.brotliCompressSync(body, DENSE_BROTLI),
    },
  ],
  [
    'gzip',
    {
      compress: (body) => gzip(body, FAST_GZIP),
      compressOnce: (body) => zlib.gzipSync(body, DENSE_GZIP),
    },
  ],
]);
const OFFERED = [...ENCODINGS.keys(), IDENTITY];

/** Compresses answers that are worth it and are not compressed yet, for callers who accept it. */
export function useCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (!Buffer.isBuffer(body) || body.length < MIN_BYTES || reply.hasHeader('vary')) {
      done(null, payload);
      return;
    }
    compressAnswer(request, reply, body).then(
      (compressed) => done(null, compressed),
      (error: Error) => done(error),
    );
  });
}

/** The body of an answer in the encoding that its caller prefers; sets the headers that say so. */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<Buffer> {
  if (body.length < MIN_BYTES) return body;
  const encoding = negotiate(request, reply);
  return encoding === undefined ? body : limited(() => encoding.compress(body));
}

/** A body that is always the same, compressed once. @returns gives it in the encoding that a caller prefers */
export function compressOnce(body: Buffer): (request: FastifyRequest, reply: FastifyReply) => Buffer {
  const compressed = new Map([...ENCODINGS.values()].map((each) => [each, each.compressOnce(body)]));
  return (request, reply) => {
    const encoding = negotiate(request, reply);
    return (encoding && compressed.get(encoding)) ?? body;
  };
}

/** The encoding for an answer, told in its headers; undefined where it is to be sent as it is. */
function negotiate(request: FastifyRequest, reply: FastifyReply): Encoding | undefined {
  reply.header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined || accepted.length > MAX_ACCEPT_CHARACTERS) return undefined;
  const name = preferredOf(request.raw) ?? IDENTITY;
  const encoding = ENCODINGS.get(name);
  if (encoding === undefined) return undefined;
  reply.header('content-encoding', name);
  reply.removeHeader('content-length');
  return encoding;
}

/** The encoding a request likes best; of equals, ours. */
function preferredOf(request: IncomingMessage): string | undefined {
  // The package's types are older than its option.
  const negotiator = new Negotiator(request) as unknown as {
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  };
  return negotiator.encoding(OFFERED, { preferred: OFFERED });
}
