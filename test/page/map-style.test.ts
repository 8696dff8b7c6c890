import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { startTestService } from '../support/service.js';
import { linkOf, sharedBrowser, test, watchedPage } from './support/browser.js';
import { mapReady, middleOfMap } from './support/launch-browser.js';
import { png } from './support/png.js';

interface MapServer {
  readonly origin: string;
  readonly asked: { readonly path: string; readonly referer: string | undefined; readonly sent: string }[];
  close(): void;
}

/**
 * A map server of another origin: a style with raster tiles and a GeoJSON layer, open to pages of all origins.
 * @param foreign origin of a layer that the style takes from elsewhere
 */
async function startMapServer(foreign = ''): Promise<MapServer> {
  const asked: MapServer['asked'] = [];
  let origin = '';
  const tile = png(256, [200, 30, 30]);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', origin).pathname;
    asked.push({
      path,
      referer: request.headers.referer,
      sent: JSON.stringify(request.headers) + request.url,
    });
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (path.endsWith('.png')) response.setHeader('Content-Type', 'image/png').end(tile);
    else if (path === '/lines.geojson')
      response.end(JSON.stringify({ type: 'FeatureCollection', features: [] }));
    else
      response.end(
        JSON.stringify({
          version: 8,
          sources: {
            tiles: { type: 'raster', tiles: [`${origin}/{z}/{x}/{y}.png`], tileSize: 256 },
            lines: { type: 'geojson', data: `${origin}/lines.geojson` },
            ...(foreign === '' ? {} : { foreign: { type: 'geojson', data: `${foreign}/lines.geojson` } }),
          },
          layers: [
            { id: 'tiles', type: 'raster', source: 'tiles' },
            { id: 'lines', type: 'line', source: 'lines' },
            ...(foreign === '' ? [] : [{ id: 'foreign', type: 'line', source: 'foreign' }]),
          ],
        }),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => void server.close());
  return { origin, asked, close: () => server.close() };
}

test('MAP_STYLE_URL shows a map of another origin below the cells; no third is asked', async () => {
  const stranger = await startMapServer();
  const map = await startMapServer(stranger.origin);
  const service = await startTestService({ MAP_STYLE_URL: `${map.origin}/style.json` });
  onTestFinished(() => service.stop());
  const { page, faults } = await watchedPage(await sharedBrowser());
  await page.goto(linkOf(service, { map: '9/44.12/-122.03', site: '44.12,-122.03' }));
  await mapReady(page);
  await page.getByTestId('tile-manual').waitFor();
  await expect
    .poll(() => new Set(map.asked.map(({ path }) => path.replace(/\d+\/\d+\/\d+/, 'tile'))))
    .toEqual(new Set(['/style.json', '/tile.png', '/lines.geojson']));
  // Neither the key nor the address of the page reaches the operator's map.
  for (const { referer, sent } of map.asked) {
    expect(referer).toBeUndefined();
    expect(sent).not.toContain('nurse_live_');
  }
  // The cells lie over the tiles.
  await page.mouse.move(...(await middleOfMap(page)));
  await page.locator('.hover').getByText('alive after 5 years').waitFor();
  const asking = page.evaluate((url) => fetch(url).then(({ ok }) => ok), `${stranger.origin}/style.json`);
  await expect(asking).rejects.toThrow('Failed to fetch');
  expect(stranger.asked).toEqual([]);
  // What the policy refuses is the layer of the third origin, which MapLibre's worker would ask, and this request.
  for (const fault of faults.splice(0)) expect(fault).toContain(stranger.origin);
});

test('for a map style that cannot be loaded the page shows its own map, and says so', async () => {
  const map = await startMapServer();
  map.close();
  const service = await startTestService({ MAP_STYLE_URL: `${map.origin}/style.json` });
  onTestFinished(() => service.stop());
  const { page } = await watchedPage(await sharedBrowser());
  await page.goto(linkOf(service, { map: '9/44.12/-122.03', site: '44.12,-122.03' }));
  await page.getByText('The map of the operator cannot be loaded').waitFor();
  await mapReady(page);
  await page.mouse.move(...(await middleOfMap(page)));
  await page.locator('.hover').getByText('alive after 5 years').waitFor();
});
