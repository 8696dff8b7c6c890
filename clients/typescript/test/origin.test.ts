import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { expect, onTestFinished } from 'vitest';
import { serviceAndBrowser, test, WITHOUT_MAP } from '../../../test/page/support/browser.js';
import { FOREST_SITE } from '../../../test/support/requests.js';
import type * as Client from '../src/index.js';

const SITE: Client.Site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };
const running = await serviceAndBrowser(WITHOUT_MAP);

/** The client as a script, which sets the global `nurselog`. */
async function bundledClient(): Promise<string> {
  const entry = path.join(import.meta.dirname, '../src/index.ts');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'nurselog' } },
  });
  const [{ output }] = [built].flat() as Rollup.RollupOutput[];
  return output[0].code;
}

/** A page with the client, of an origin that the service does not list. */
async function pageOfOtherOrigin(): Promise<{ page: Page; origin: string }> {
  const client = await bundledClient();
  const origin = await listen((request, response) => {
    const [type, body] =
      request.url === '/client.js'
        ? ['text/javascript', client]
        : ['text/html', '<!doctype html><script src="/client.js"></script>'];
    response.setHeader('content-type', type).end(body);
  });
  const page = await running.browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(origin);
  return { page, origin };
}

/** @returns the address of a server that runs until the end of the test */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The error of a prediction in the page. */
const errorOn = (page: Page, options: Client.ClientOptions) =>
  page.evaluate(
    async ({ options, site }) => {
      const { createClient } = (globalThis as unknown as { nurselog: typeof Client }).nurselog;
      return createClient(options)
        .predict(site)
        .then(
          () => undefined,
          ({ code, message }: { code: string; message: string }) => ({ code, message }),
        );
    },
    { options, site: SITE },
  );

test('on a page whose origin is not listed, a call ends after two attempts with an error that names the origin', async () => {
  const { page, origin } = await pageOfOtherOrigin();
  const { apiUrl: url, key: apiKey } = running.service;
  let attempts = 0;
  page.on('request', (request) => {
    if (request.url() === `${url}/v1/predict` && request.method() === 'POST') attempts++;
  });
  expect(await errorOn(page, { url, apiKey })).toEqual({
    code: 'connection_failed',
    message: expect.stringContaining(
      `the origin of this page, ${origin}, may be missing in its CORS_ORIGINS`,
    ),
  });
  expect(attempts).toBe(2);
});

test('on a page of another origin, a service that never answers is no longer waited for', async () => {
  const { page } = await pageOfOtherOrigin();
  const url = await listen(() => {});
  const retry = { attempts: 2, attemptTimeoutMs: 1000 };
  expect(await errorOn(page, { url, apiKey: 'any', retry })).toEqual({
    code: 'connection_failed',
    message: `No response from ${url}: No answer within 1000 ms.`,
  });
});
