import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { perGeneration } from '../../prediction/per-generation.js';
import type { Generation, Serving } from '../../work/generation.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { CONTENT_SECURITY_POLICY, viewer } from '../openapi/viewer.js';
import { constantBody } from '../response/compression.js';
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
  const openApiOf = perGeneration(({ artefacts }: Generation) =>
    constantBody(JSON.stringify(documentOf(artefacts))),
  );
  openApiOf(serving.current); // so that the first request need not wait for it
  const route = (
    path: string,
    type: string,
    bodyOf: () => Buffer,
    headers: Readonly<Record<string, string>> = { 'cache-control': CACHE_CONTROL.document },
  ) => app.get(path, (_request, reply) => reply.type(type).headers(headers).send(bodyOf()));
  const constant = (text: string | Buffer) => {
    const body = constantBody(text);
    return () => body;
  };
  route('/openapi.json', JSON_TYPE, () => openApiOf(serving.current));
  if (existsSync(LICENSES))
    route('/licenses.txt', 'text/plain; charset=utf-8', constant(readFileSync(LICENSES)));
  const { page, files } = viewer();
  route('/docs', 'text/html; charset=utf-8', constant(page), {
    'cache-control': CACHE_CONTROL.document,
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  for (const { path, type, body } of files)
    route(`/${path}`, type, constant(body), { 'cache-control': CACHE_CONTROL.hashed });
}
