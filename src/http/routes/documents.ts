import type { FastifyInstance } from 'fastify';
import { docsPage } from '../openapi/docs-page.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { compressOnce } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';

/** GET /openapi.json and GET /docs: the description of the interface for programs and for people. */
export function documentRoutes(app: FastifyInstance, document: OpenApiDocument): void {
  const json = compressOnce(Buffer.from(JSON.stringify(document)));
  const page = compressOnce(Buffer.from(docsPage(document)));
  const cached = { 'cache-control': CACHE_CONTROL.document };
  app.get('/openapi.json', (request, reply) =>
    reply.type(JSON_TYPE).headers(cached).send(json(request, reply)),
  );
  app.get('/docs', (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers(cached)
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page(request, reply)),
  );
}
