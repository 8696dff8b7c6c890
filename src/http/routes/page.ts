import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { rangeOf, sendRange } from '../response/byte-range.js';
import { IDENTITY, negotiate } from '../response/compression.js';
import { CACHE_CONTROL, contentSecurityPolicy, JSON_TYPE } from '../response/headers.js';

/** The built page, which `npm run build` writes beside the compiled service. */
const PAGE_FOLDER = fileURLToPath(new URL('../../web/', import.meta.url));
const ASSETS = 'assets';

/** Tiles of the map in one file, which is read by ranges. */
const TILES = '.pmtiles';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': JSON_TYPE,
  '.svg': 'image/svg+xml',
  [TILES]: 'application/vnd.pmtiles',
};

/** The codings of compressed copies of a file, in order of preference, with their suffixes. */
const COPIES = { br: '.br', gzip: '.gz' };

/** GET / and /assets/…: the planner's page. @param mapStyleUrl of the operator's own map, if any */
export function pageRoutes(app: FastifyInstance, mapStyleUrl: string | undefined): void {
  const file = path.join(PAGE_FOLDER, 'index.html');
  if (!existsSync(file)) return; // `documentRoutes` warns
  const page = readFileSync(file, 'utf8').replace(
    'name="map-style" content=""',
    `name="map-style" content="${escapeAttribute(mapStyleUrl ?? '')}"`,
  );
  const mapOrigin = mapStyleUrl === undefined ? '' : ` ${new URL(mapStyleUrl).origin}`;
  // On every file: a worker has the policies of its own file, not those of the page that starts it.
  const policies = {
    'content-security-policy': contentSecurityPolicy(
      "worker-src 'self'",
      `img-src 'self' data: blob:${mapOrigin}`, // MapLibre's buttons, and the map in the printed report
      `connect-src 'self'${mapOrigin}`,
    ),
    'referrer-policy': 'no-referrer',
  };
  const headers = {
    ...policies,
    'cache-control': CACHE_CONTROL.page,
    'cross-origin-opener-policy': 'same-origin',
  };
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').headers(headers).send(page));
  for (const name of readdirSync(path.join(PAGE_FOLDER, ASSETS))) assetRoute(app, name, policies);
}

/** One file of the page; nothing for a compressed copy. */
function assetRoute(app: FastifyInstance, name: string, policies: Readonly<Record<string, string>>): void {
  const type = TYPES[path.extname(name)];
  if (type === undefined) return;
  const file = path.join(PAGE_FOLDER, ASSETS, name);
  const present = Object.entries(COPIES).filter(([, end]) => existsSync(file + end));
  const body = readFileSync(file);
  const copies = new Map(present.map(([coding, end]) => [coding, readFileSync(file + end)]));
  copies.set(IDENTITY, body);
  app.get(`/${ASSETS}/${name}`, (request, reply) => {
    reply.type(type).headers({ ...policies, 'cache-control': CACHE_CONTROL.hashed });
    return type === TYPES[TILES]
      ? sendRange(reply, body, rangeOf(request, body.length))
      : reply.send(copies.get(negotiate(reply, [...copies.keys()])));
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
