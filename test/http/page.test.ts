import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { rangeOf, sendRange } from '../../src/http/response/byte-range.js';
import { expectError } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { sharedService, startTestService } from '../support/service.js';

const service = await sharedService();
const html = await (await fetch(`${service.apiUrl}/`)).text();
const assets: string[] = [...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, file]) => file!);

/** The sources that a directive of a content security policy allows. */
function allowed(policy: string | null, directive: string): string[] {
  const line = policy?.split('; ').find((each) => each.startsWith(`${directive} `));
  return line?.split(' ').slice(1) ?? [];
}

test('the page needs no key, names no other host, has no inline script or style, and its policy allows neither', async () => {
  const response = await fetch(`${service.apiUrl}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  const policy = response.headers.get('content-security-policy');
  expect(policy).not.toContain('unsafe');
  expect(allowed(policy, 'default-src')).toEqual(["'none'"]);
  expect(allowed(policy, 'script-src')).toEqual(["'self'"]);
  expect(allowed(policy, 'connect-src')).toEqual(["'self'"]);
  expect(html).not.toMatch(/https?:|\/\//);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
});

test('every file that the page names is served with its type, as immutable, and compressed for those who accept that', async () => {
  expect(new Set(assets.map((file) => file.split('.').at(-1)))).toEqual(new Set(['css', 'js', 'svg']));
  for (const file of assets) {
    const plain = await fetch(service.apiUrl + file, { headers: { 'accept-encoding': 'identity' } });
    // A worker has the policies of its own file.
    const { headers: ofPage } = await fetch(`${service.apiUrl}/`);
    for (const name of ['content-security-policy', 'referrer-policy'])
      expect(plain.headers.get(name)).toBe(ofPage.get(name));
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('vary')).toContain('accept-encoding');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const body = Buffer.from(await plain.arrayBuffer());
    for (const coding of ['br', 'gzip']) {
      const response = await fetch(service.apiUrl + file, { headers: { 'accept-encoding': coding } });
      expect(response.headers.get('content-encoding')).toBe(coding);
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
    }
  }
});

test('the tiles of the map are sent by ranges of bytes, uncompressed; an invalid range is ignored', async () => {
  const folder = path.join(import.meta.dirname, '../../dist/web/assets');
  const name = readdirSync(folder).find((each) => each.endsWith('.pmtiles'))!;
  const whole = readFileSync(path.join(folder, name));
  const get = (range: string) =>
    fetch(`${service.apiUrl}/assets/${name}`, { headers: { range, 'accept-encoding': 'br, gzip' } });
  for (const [range, first, end] of [
    ['bytes=0-16383', 0, 16_384],
    [`bytes=5-${2 * whole.length}`, 5, whole.length],
    ['bytes=100-', 100, whole.length],
    ['bytes=-5', whole.length - 5, whole.length],
  ] as const) {
    const response = await get(range);
    expect([range, response.status]).toEqual([range, 206]);
    expect(response.headers.get('content-range')).toBe(`bytes ${first}-${end - 1}/${whole.length}`);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(first, end))).toBe(true);
  }
  expect((await get(`bytes=${whole.length}-`)).status).toBe(416);
  for (const range of ['bytes=9-1', 'lines=1-2', 'bytes=0-1,4-5']) {
    const response = await get(range);
    expect([range, response.status, response.headers.get('content-encoding')]).toEqual([range, 200, null]);
    expect((await response.arrayBuffer()).byteLength).toBe(whole.length);
  }
});

test('a range of a file that stays in memory is not copied for each caller who does not read it', async () => {
  const app = fastify();
  const body = Buffer.alloc(100_000);
  const sent: unknown[] = [];
  app.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload));
  app.get('/', (request, reply) => sendRange(reply, body, rangeOf(request, body.length)));
  await app.inject({ url: '/', headers: { range: 'bytes=5-' } });
  expect((sent as [Buffer])[0].buffer).toBe(body.buffer);
});

test('all scripts of the page are at most 600 KB in gzip', () => {
  const folder = path.join(import.meta.dirname, '../../dist/web/assets');
  const scripts = readdirSync(folder).filter((name) => /\.m?js\.gz$/.test(name));
  expect(scripts.length).toBeGreaterThanOrEqual(2); // the page and MapLibre's worker
  const bytes = scripts.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(600 * 1024);
});

test('a file of the page that does not exist, and a path out of its folder, are not found', async () => {
  for (const file of ['/assets/none.js', '/assets/', '/assets/../index.html', '/assets/%2e%2e/index.html']) {
    const { status } = await sendRaw(service.apiUrl, rawRequest(`GET ${file} HTTP/1.1`, []));
    expect(status).toBe(404);
  }
});

test('the page is not served with EXPLORER=off', async () => {
  const without = await startTestService({ EXPLORER: 'off' });
  await expectError(await fetch(`${without.apiUrl}/`), 404, 'not_found');
  await expectError(await fetch(without.apiUrl + assets[0]), 404, 'not_found');
  await without.stop();
});

test('MAP_STYLE_URL reaches the page as text, and the policy allows its origin for data and pictures alone', async () => {
  const url = 'https://tiles.example.org:8443/style.json?a="><script>alert(1)</script>';
  const own = await startTestService({ MAP_STYLE_URL: url });
  const response = await fetch(`${own.apiUrl}/`);
  const policy = response.headers.get('content-security-policy');
  expect(allowed(policy, 'connect-src')).toEqual(["'self'", 'https://tiles.example.org:8443']);
  expect(allowed(policy, 'img-src')).toContain('https://tiles.example.org:8443');
  expect(allowed(policy, 'script-src')).toEqual(["'self'"]);
  const page = await response.text();
  expect(page).toContain('content="https://tiles.example.org:8443/style.json?a=&quot;>&lt;script>');
  expect(page).not.toContain('<script>');
  await own.stop();
});
