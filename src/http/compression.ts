import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';

/** Smaller answers fit into a packet as they are. */
const LEAST_BYTES = 1400;

const IDENTITY = 'identity';
const { BROTLI_PARAM_QUALITY } = zlib.constants;

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
/** Node 22.15 and newer have it. */
const { zstdCompress } = zlib as { zstdCompress?: (body: Buffer, done: zlib.CompressCallback) => void };

type Compress = (body: Buffer) => Promise<Buffer>;

/**
 * The encodings, the one preferred first; they run in libuv's threads, not in the main one. At these levels an answer
 * of 600 KB costs 0.6 to 1.5 ms of CPU and saves 42 of its 49 ms at 100 Mbit/s; docs/performance.md has the figures.
 */
const ENCODINGS: ReadonlyMap<string, Compress> = new Map([
  ...(zstdCompress === undefined ? [] : [['zstd', promisify(zstdCompress)] as const]),
  ['br', (body: Buffer) => brotli(body, { params: { [BROTLI_PARAM_QUALITY]: 1 } })] as const,
  ['gzip', (body: Buffer) => gzip(body, { level: 2 })] as const,
]);
const OFFERED = [...ENCODINGS.keys(), IDENTITY];

/** Compresses answers that are worth it, for callers who accept it. */
export function useCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (!Buffer.isBuffer(body) || body.length < LEAST_BYTES) return payload;
    reply.header('vary', 'accept-encoding');
    if (request.headers['accept-encoding'] === undefined) return payload;
    const encoding = preferredOf(request.raw) ?? IDENTITY;
    const compress = ENCODINGS.get(encoding);
    if (compress === undefined) return payload;
    reply.header('content-encoding', encoding);
    reply.removeHeader('content-length');
    return compress(body);
  });
}

/** The encoding a request likes best; of equals, ours. */
function preferredOf(request: IncomingMessage): string | undefined {
  // The package's types are older than its option.
  const negotiator = new Negotiator(request) as unknown as {
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  };
  return negotiator.encoding(OFFERED, { preferred: OFFERED });
}
