import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.js';
import { docsPage } from './docs-page.js';
import { openApiDocument } from './openapi.js';

/** GET /openapi.json and GET /docs: the interface for programs and for people. */
export function documentRoutes(app: FastifyInstance, config: Config): void {
  const document = openApiDocument(config);
  const json = JSON.stringify(document);
  const page = docsPage(document);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  );
}
