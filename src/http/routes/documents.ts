import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Generation, Serving } from '../../work/generation.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { constantBody } from '../response/compression.js';
import { CACHE_CONTROL, contentSecurityPolicy } from '../response/headers.js';
import { generationRoute } from './catalogue.js';

/** What `npm run build` writes beside the compiled service. */
const WEB_FOLDER = new URL('../../web/', import.meta.url);
/** Licences of third-party code in the page and /docs. */
const LICENSES = new URL('licenses.txt', WEB_FOLDER);

/** Swagger UI has images inside its style sheet, and nothing else inline. */
const CONTENT_SECURITY_POLICY = contentSecurityPolicy("img-src 'self' data:", "connect-src 'self'");

/** The page at /docs. @param script and style, the addresses of its files */
const pageOf = (script: string, style: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>nurselog: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
<nav id="contents"></nav>
<main id="reference"></main>
<footer><a href="licenses.txt">Licences of third-party software and data</a></footer>
<noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> has the same content.</noscript>
<script src="${script}"></script>
</body>
</html>
`;

/** GET /openapi.json, /docs and /licenses.txt. @param describe makes the OpenAPI document of a generation */
export function documentRoutes(
  app: FastifyInstance,
  serving: Serving,
  describe: (generation: Generation) => OpenApiDocument,
  log: FastifyBaseLogger,
): void {
  generationRoute(app, serving, '/openapi.json', CACHE_CONTROL.document, describe);
  if (!existsSync(WEB_FOLDER)) {
    log.warn('the pages at / and /docs are missing: "npm run build" creates them');
    return;
  }
  const route = (path: string, type: string, content: Buffer, cacheControl: string, policy = {}) => {
    const body = constantBody(content);
    const headers = { 'cache-control': cacheControl, ...policy };
    app.get(`/${path}`, (_request, reply) => reply.type(type).headers(headers).send(body));
    return path;
  };
  /** A file of Swagger UI with our own appended. @returns its address, which has a hash of both */
  const swaggerFile = (name: string, type: string, own: string) => {
    const file = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
    const content = Buffer.concat([readFileSync(file), readFileSync(new URL(own, WEB_FOLDER))]);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
    return route(`docs/${hash}/${name}`, type, content, CACHE_CONTROL.hashed);
  };
  const script = swaggerFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'reference.js');
  const style = swaggerFile('swagger-ui.css', 'text/css; charset=utf-8', 'reference.css');
  const page = Buffer.from(pageOf(script, style));
  const policy = { 'content-security-policy': CONTENT_SECURITY_POLICY };
  route('docs', 'text/html; charset=utf-8', page, CACHE_CONTROL.document, policy);
  route('licenses.txt', 'text/plain; charset=utf-8', readFileSync(LICENSES), CACHE_CONTROL.document);
}
