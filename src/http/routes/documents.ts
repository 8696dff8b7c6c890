import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Generation, Serving } from '../../work/generation.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { constantBody } from '../response/compression.js';
import { CACHE_CONTROL, contentSecurityPolicy } from '../response/headers.js';
import { generationRoute } from './catalogue.js';

/** Licences of third-party code in the page and /docs; `npm run build` writes the file. */
const LICENSES = fileURLToPath(new URL('../../web/licenses.txt', import.meta.url));

/** Swagger UI has images inside its style sheet, and nothing else inline. */
const CONTENT_SECURITY_POLICY = contentSecurityPolicy("img-src 'self' data:", "connect-src 'self'");

const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

function listContents() {
  const headings = document.querySelectorAll('.info h2:not(.title), .opblock-tag, .models > h4');
  document.getElementById('contents').replaceChildren(...Array.from(headings, (heading, i) => {
    heading.id ||= 'section-' + i;
    const link = document.createElement('a');
    link.textContent = heading.dataset.tag ?? heading.textContent;
    link.href = '#' + heading.id;
    link.addEventListener('click', (event) => {
      event.preventDefault(); // the fragment belongs to Swagger UI's own links
      event.stopPropagation(); // its handler would scroll the heading under the contents
      heading.scrollIntoView();
    });
    return link;
  }));
}

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null, // asks no other host
  onComplete: listContents,
});
`;

const STYLE = `body { margin: 0; }
html.dark-mode body { background: #1c2022; }
nav { position: sticky; top: 0; z-index: 2; display: flex; gap: 1.25rem; overflow-x: auto; padding: .75rem 1.25rem;
  font: 15px/1.4 sans-serif; white-space: nowrap; background: #f4f7f5; border-bottom: 1px solid #d5ddd8; }
nav a, footer a { color: #1d4d35; }
html.dark-mode nav { background: #15191b; border-color: #394045; }
html.dark-mode :is(nav, footer) a { color: #9fd3b4; }
noscript, footer { display: block; margin: 2rem; font: 15px/1.4 sans-serif; }
.swagger-ui .info h2, .swagger-ui .opblock-tag, .swagger-ui .models > h4 { scroll-margin-top: 4rem; }
.swagger-ui .info .description { max-width: 60rem; }
.swagger-ui .info table { display: block; overflow-x: auto; }
.swagger-ui .info td, .swagger-ui .info th { padding: .4rem 1rem .4rem 0; }
.swagger-ui .info pre { padding: .75rem; overflow-x: auto; }
.swagger-ui .info pre code { white-space: pre; }
.swagger-ui .response-col_links { display: none; }
html.dark-mode .swagger-ui table.headers td { color: #e4e6e6; }
@media (width < 40rem) {
  .swagger-ui .info table:has(td:nth-child(4)) thead { display: none; }
  .swagger-ui .info tr:has(td:nth-child(4)), .swagger-ui .info tr:has(td:nth-child(4)) td { display: block; padding: 0 0 .3rem; }
  .swagger-ui .info tr:has(td:nth-child(4)) { padding-bottom: .8rem; }
  .swagger-ui table.headers td:last-child, .swagger-ui table.headers th:last-child { display: none; }
}
`;

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
): void {
  generationRoute(app, serving, '/openapi.json', CACHE_CONTROL.document, describe);
  const route = (path: string, type: string, content: Buffer, cacheControl: string, policy = {}) => {
    const body = constantBody(content);
    const headers = { 'cache-control': cacheControl, ...policy };
    app.get(`/${path}`, (_request, reply) => reply.type(type).headers(headers).send(body));
    return path;
  };
  /** A file of Swagger UI with our own content appended. @returns its address, which has a hash of both */
  const swaggerFile = (name: string, type: string, own: string) => {
    const file = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
    const content = Buffer.concat([readFileSync(file), Buffer.from(`\n${own}`)]);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
    return route(`docs/${hash}/${name}`, type, content, CACHE_CONTROL.hashed);
  };
  const script = swaggerFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8', SCRIPT);
  const style = swaggerFile('swagger-ui.css', 'text/css; charset=utf-8', STYLE);
  const page = Buffer.from(pageOf(script, style));
  const policy = { 'content-security-policy': CONTENT_SECURITY_POLICY };
  route('docs', 'text/html; charset=utf-8', page, CACHE_CONTROL.document, policy);
  if (existsSync(LICENSES))
    route('licenses.txt', 'text/plain; charset=utf-8', readFileSync(LICENSES), CACHE_CONTROL.document);
}
