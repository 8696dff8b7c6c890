import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/document.js';
import { sharedBrowser, WITHOUT_MAP } from '../page/support/browser.js';
import { HAS_CHROMIUM } from '../support/chromium.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const browser = HAS_CHROMIUM ? await sharedBrowser(WITHOUT_MAP) : undefined;

/** Opens /docs and waits until it lists the endpoints. @returns the page and its errors */
async function openDocs(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser!.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(service.apiUrl))
      faults.push(`asked ${request.url()}`);
  });
  await page.goto(`${service.apiUrl}/docs`);
  await page.locator('#contents a').first().waitFor();
  return { page, faults };
}

/** The element of an endpoint. */
const operation = (page: Page, path: string) =>
  page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });

test('/docs and its files load from this service alone, under a content security policy without exceptions', async () => {
  const response = await fetch(`${service.apiUrl}/docs`);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toContain('unsafe');
  const page = await response.text();
  const files = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toHaveLength(2);
  for (const file of files) {
    const { status, headers } = await fetch(`${service.apiUrl}/${file}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
  }
});

test.runIf(HAS_CHROMIUM)('/docs shows every endpoint, the guide and its contents in a browser', async () => {
  const { page, faults } = await openDocs();
  const { paths } = (await (await service.get('/openapi.json')).json()) as OpenApiDocument;
  for (const path of Object.keys(paths)) expect(await operation(page, path).count()).toBe(1);
  const contents = await page.locator('#contents a').allTextContents();
  expect(contents).toEqual(expect.arrayContaining(['First call', 'Errors', 'Predictions', 'Schemas']));
  await page.locator('#contents a', { hasText: 'Errors' }).click();
  const heading = await page.locator('h2', { hasText: 'Errors' }).boundingBox();
  const bar = await page.locator('#contents').boundingBox();
  expect(heading!.y).toBeGreaterThanOrEqual(bar!.y + bar!.height);
  expect(heading!.y).toBeLessThan(300);
  expect(faults).toEqual([]);
});

test.runIf(HAS_CHROMIUM)('Try it out sends the example with the key of the caller', async () => {
  const { page, faults } = await openDocs();
  await page.locator('button.authorize').first().click();
  await page.locator('.auth-container input').fill(service.key);
  await page.locator('.auth-container button.authorize').click();
  await page.locator('.btn-done').click();
  const predict = operation(page, '/v1/predict');
  await predict.locator('.opblock-summary-control').click();
  await predict.locator('.try-out__btn').click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/v1/predict')),
    predict.locator('button.execute').click(),
  ]);
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toHaveProperty('predictions.0.survival_probability');
  await predict.locator('.live-responses-table').waitFor();
  expect(await predict.locator('.live-responses-table').textContent()).toContain('survival_probability');
  expect(faults).toEqual([]);
});

test.runIf(HAS_CHROMIUM)(
  '/docs fits into 390 pixels, and is dark if the browser asks for a dark scheme',
  async () => {
    const { page } = await openDocs({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await operation(page, '/v1/predict').locator('.opblock-summary-control').click();
    await operation(page, '/v1/predict').locator('.responses-wrapper').waitFor();
    const { width, background } = (await page.evaluate(
      '({ width: document.documentElement.scrollWidth, background: getComputedStyle(document.body).backgroundColor })',
    )) as { width: number; background: string };
    expect(width).toBe(390);
    for (const channel of background.match(/\d+/g)!) expect(Number(channel)).toBeLessThan(64);
  },
);

const project = fileURLToPath(new URL('../../', import.meta.url));
const text = (file: string) => readFileSync(path.join(project, file), 'utf8');

/** Packages that the sources of the page import, without those that only give types. */
function importedByPage(): Set<string> {
  const sources = readdirSync(path.join(project, 'web/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => text(`web/src/${file}`));
  const imports = sources.flatMap((source) => [
    ...source.matchAll(/(?<!import type [^;]*)(?:from|import\(?) ?'((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  return new Set(imports.map(([, name]) => name!).filter((name) => name !== '@nurselog/client'));
}

test('the licences of all packages in the page and at /docs can be read there', async () => {
  const response = await service.get('/licenses.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const licenses = await response.text();
  const imported = importedByPage();
  expect(imported).toContain('maplibre-gl');
  expect(imported).toContain('preact');
  // MapLibre comes bundled: these are inside it.
  for (const name of [...imported, 'earcut', 'gl-matrix', 'us-atlas', 'world-atlas', 'swagger-ui-dist']) {
    const { version, license } = JSON.parse(text(`node_modules/${name}/package.json`));
    expect(licenses).toContain(`\n${name} ${version}, ${license}\n`);
  }
  expect(licenses).toContain(text('node_modules/maplibre-gl/LICENSE.txt').trim());
  expect(licenses).toContain(text('node_modules/swagger-ui-dist/NOTICE').trim());
});

test('the reference and the page link to the licences', async () => {
  expect(await (await service.get('/docs')).text()).toContain('href="licenses.txt"');
  expect(text('web/src/about/about-panel.tsx')).toContain('href="/licenses.txt"');
});
