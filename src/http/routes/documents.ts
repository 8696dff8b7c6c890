import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Generation, Serving } from '../../work/generation.js';
import { constantBody } from '../response/compression.js';
import { CACHE_CONTROL, contentSecurityPolicy } from '../response/headers.js';
import { generationRoute } from './catalogue.js';

/** What `npm run build` writes beside the compiled service: `web/public`, and the licences of third-party code. */
const WEB_FOLDER = new URL('../../web/', import.meta.url);

/** Swagger UI has images inside its style sheet, and nothing else inline. */
const CONTENT_SECURITY_POLICY = contentSecurityPolicy("img-src 'self' data:", "connect-src 'self'");

/** GET /openapi.json, /docs and /licenses.txt. @param describe makes the OpenAPI document of a generation */
export function documentRoutes(
  app: FastifyInstance,
  serving: Serving,
  describe: (generation: Generation) => object,
  log: FastifyBaseLogger,
): void {
  generationRoute(app, serving, '/openapi.json', CACHE_CONTROL.document, describe);
  // The last file that the build writes.
  if (!existsSync(new URL('.sources', WEB_FOLDER))) {
    log.warn('the pages at / and /docs are missing: "npm run build" creates them');
    return;
  }
  const route = (path: string, type: string, content: Buffer, cacheControl: string, policy = {}) => {
    const body = constantBody(content);
    const headers = { 'cache-control': cacheControl, ...policy };
    app.get(`/${path}`, (_request, reply) => reply.type(type).headers(headers).send(body));
  };
  const builtFile = (name: string) => readFileSync(new URL(name, WEB_FOLDER));
  let page = builtFile('reference.html').toString();
  /** Routes a file of Swagger UI with our own appended, at an address with a hash of both, and names it in the page. */
  const swaggerRoute = (name: string, type: string, own: string) => {
    const file = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
    const content = Buffer.concat([readFileSync(file), builtFile(own)]);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
    route(`docs/${hash}/${name}`, type, content, CACHE_CONTROL.hashed);
    page = page.replace(`"${name}"`, `"docs/${hash}/${name}"`);
  };
  swaggerRoute('swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'reference.js');
  swaggerRoute('swagger-ui.css', 'text/css; charset=utf-8', 'reference.css');
  const policy = { 'content-security-policy': CONTENT_SECURITY_POLICY };
  route('docs', 'text/html; charset=utf-8', Buffer.from(page), CACHE_CONTROL.document, policy);
  route('licenses.txt', 'text/plain; charset=utf-8', builtFile('licenses.txt'), CACHE_CONTROL.document);
}
