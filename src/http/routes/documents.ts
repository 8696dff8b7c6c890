import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.js';
import { compressOnce } from '../hooks/compression.js';
import { docsPage } from '../openapi/docs-page.js';
import { openApiDocument } from '../openapi/document.js';

/** GET /openapi.json and GET /docs: the interface for programs and for people. */
export function documentRoutes(app: FastifyInstance, config: Config): void {
  const document = openApiDocument(config);
  const json = compressOnce(Buffer.from(JSON.stringify(document)));
  const page = compressOnce(Buffer.from(docsPage(document)));
  app.get('/openapi.json', (request, reply) =>
    reply.type('application/json; charset=utf-8').send(json(request, reply)),
  );
  app.get('/docs', (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page(request, reply)),
  );
}
