import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../openapi/document.js';
import { compressOnDemand } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';
import { perGeneration } from '../serving/per-generation.js';
import type { Serving, ServingGeneration } from '../serving/serving.js';

/**
 * A GET route whose answer is the same for every caller as long as a generation serves: it is written once, and compressed
 * once in each encoding that a caller asks for.
 * @param describe gives the answer
 */
export function catalogueRoute(
  app: FastifyInstance,
  { path }: Endpoint,
  serving: Serving,
  describe: (generation: ServingGeneration) => object,
  cacheControl: string = CACHE_CONTROL.catalogue,
): void {
  const answerOf = perGeneration((generation: ServingGeneration) =>
    compressOnDemand(Buffer.from(JSON.stringify(describe(generation)))),
  );
  app.get(path, async (request, reply) => {
    const body = await answerOf(serving.current)(request, reply);
    return reply.type(JSON_TYPE).header('cache-control', cacheControl).send(body);
  });
}
