import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { perGeneration } from '../../prediction/per-generation.js';
import type { Generation } from '../../work/generation.js';
import type { Serving } from '../../work/serving/serving.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { CONTENT_SECURITY_POLICY, viewer } from '../openapi/viewer.js';
import { compressOnce, compressOnDemand } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';

/** Licences of third-party code in the page and /docs; `npm run build` writes the file. */
const LICENSES = fileURLToPath(new URL('../../web/licenses.txt', import.meta.url));

/**
 * GET /openapi.json and GET /docs: the description of the interface for programs and for people. GET /licenses.txt.
 * @param documentOf describes the interface with a grid and models
 */
export function documentRoutes(
  app: FastifyInstance,
  serving: Serving,
  documentOf: (artefacts: Artefacts) => OpenApiDocument,
): void {
  const documentBodyOf = perGeneration(({ artefacts }: Generation) =>
    compressOnce(Buffer.from(JSON.stringify(documentOf(artefacts)))),
  );
  documentBodyOf(serving.current); // so that the first request need not wait for it
  const cached = { 'cache-control': CACHE_CONTROL.document };
  app.get('/openapi.json', (request, reply) =>
    reply.type(JSON_TYPE).headers(cached).send(documentBodyOf(serving.current)(request, reply)),
  );
  if (existsSync(LICENSES)) {
    const bodyOf = compressOnce(readFileSync(LICENSES));
    app.get('/licenses.txt', (request, reply) =>
      reply.type('text/plain; charset=utf-8').headers(cached).send(bodyOf(request, reply)),
    );
  }
  const { page, files } = viewer();
  const pageHeaders = { ...cached, 'content-security-policy': CONTENT_SECURITY_POLICY };
  app.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').headers(pageHeaders).send(page),
  );
  for (const { path, type, body } of files) {
    const bodyOf = compressOnDemand(body);
    app.get(`/${path}`, async (request, reply) =>
      reply
        .type(type)
        .header('cache-control', CACHE_CONTROL.hashed)
        .send(await bodyOf(request, reply)),
    );
  }
}
