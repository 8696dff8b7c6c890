import type { FastifyInstance } from 'fastify';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { docsPage } from '../openapi/docs-page.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { compressOnce } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';
import { perGeneration, type Serving } from '../serving/serving.js';

/**
 * GET /openapi.json and GET /docs: the description of the interface for programs and for people.
 * @param documentOf describes the interface with a grid and models
 */
export function documentRoutes(
  app: FastifyInstance,
  serving: Serving,
  documentOf: (artefacts: Artefacts) => OpenApiDocument,
): void {
  const bodiesOf = perGeneration(({ artefacts }) => {
    const document = documentOf(artefacts);
    return {
      json: compressOnce(Buffer.from(JSON.stringify(document))),
      page: compressOnce(Buffer.from(docsPage(document))),
    };
  });
  bodiesOf(serving.current); // so that the first request need not wait for it
  const cached = { 'cache-control': CACHE_CONTROL.document };
  app.get('/openapi.json', (request, reply) =>
    reply.type(JSON_TYPE).headers(cached).send(bodiesOf(serving.current).json(request, reply)),
  );
  app.get('/docs', (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers(cached)
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(bodiesOf(serving.current).page(request, reply)),
  );
}
