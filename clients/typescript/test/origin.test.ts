import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build, type Rollup } from 'vite';
import { expect, onTestFinished } from 'vitest';
import { browserTest, serviceAndBrowser } from '../../../test/page/support/browser.js';
import { FOREST_SITE } from '../../../test/support/requests.js';
import type * as Client from '../src/index.js';

const SITE: Client.Site = { ...FOREST_SITE, species_code: 'PSME', planting_method: 'manual' };
const running = serviceAndBrowser();

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

browserTest(
  'on a page whose origin is not listed, a call ends after two attempts with an error that names the origin',
  async () => {
    const { service, browser } = running;
    const client = await bundledClient();
    const pages = createServer((request, response) => {
      const [type, body] =
        request.url === '/client.js'
          ? ['text/javascript', client]
          : ['text/html', '<!doctype html><script src="/client.js"></script>'];
      response.setHeader('content-type', type).end(body);
    });
    onTestFinished(() => void pages.close());
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    let attempts = 0;
    page.on('request', (request) => {
      if (request.url() === `${service.apiUrl}/v1/predict` && request.method() === 'POST') attempts++;
    });
    const error = await page.evaluate(
      async ({ url, apiKey, site }) => {
        const { createClient } = (globalThis as unknown as { nurselog: typeof Client }).nurselog;
        return createClient({ url, apiKey })
          .predict(site)
          .then(
            () => undefined,
            ({ code, message }: { code: string; message: string }) => ({ code, message }),
          );
      },
      { url: service.apiUrl, apiKey: service.key, site: SITE },
    );
    expect(error).toEqual({
      code: 'connection_failed',
      message: expect.stringContaining(
        `the origin of this page, ${origin}, may be missing in its CORS_ORIGINS`,
      ),
    });
    expect(attempts).toBe(2);
  },
);
