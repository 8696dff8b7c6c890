import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { ProjectCopy } from '../../testing/project-copy.js';
import { HAS_CHROMIUM } from '../support/chromium.js';
import { startTestService, type TestService } from '../support/service.js';
import { linkOf, openPage, sharedBrowser, test, watchedPage } from './support/browser.js';
import { drop, storedText, unitsWith } from './support/units.js';

/** A name that would change the title of the page if it were read as markup. */
const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script>&amp;';
const TITLE = 'nurselog planner';

let service: TestService;
let browser: Browser;
const log: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const copy = new ProjectCopy();
  copy.editJson(
    path.join(copy.dataDir, 'species.json'),
    (species: { common_name: string; scientific_name: string }[]) => {
      for (const each of species) {
        each.common_name = `${each.common_name} ${MARKUP}`;
        each.scientific_name = `${each.scientific_name} ${MARKUP}`;
      }
    },
  );
  copy.listDataFiles();
  [service, browser] = await Promise.all([
    startTestService({ DATA_DIR: copy.dataDir, LOG_LEVEL: 'info' }, undefined, {
      write: (line) => void log.push(line),
    }),
    sharedBrowser(),
  ]);
  copy.remove();
});
afterAll(() => service?.stop());

test('markup in names of species, files, columns and units is shown as text everywhere', async () => {
  const { page } = await openPage({ service, browser }, { site: '44.12,-122.03' });
  await page.getByTestId('tile-manual').waitFor();
  await page.getByText(MARKUP).first().waitFor({ state: 'attached' });
  await page.getByRole('tab', { name: 'Units' }).click();
  const { type, features } = JSON.parse(unitsWith({ [MARKUP]: MARKUP, name: MARKUP }));
  const file = JSON.stringify({ type, name: MARKUP, features: [{ ...features[0], id: MARKUP }] });
  await drop(page, `${MARKUP.replaceAll('/', '')}.geojson`, file);
  await page.locator('table.plan').getByText(MARKUP).first().waitFor();
  for (const injected of ['img[src="x"]', 'body script'])
    expect(await page.locator(injected).count()).toBe(0);
  expect(await page.title()).toBe(TITLE);
});

test('the key is in no address, referrer, lasting store or log line, but in the session', async () => {
  const { page } = await watchedPage(browser);
  const sent: { url: string; referrer: string | undefined }[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith('http'))
      sent.push({ url: request.url(), referrer: request.headers().referer });
  });
  await page.goto(linkOf(service, { site: '44.12,-122.03' }));
  await page.getByTestId('tile-manual').waitFor();
  expect(sent.length).toBeGreaterThan(5);
  const hidden = service.key.slice('nurse_live_'.length);
  for (const { url, referrer } of sent.slice(1)) {
    expect(url).not.toContain(hidden);
    expect([url, referrer ?? '']).toEqual([url, '']);
  }
  expect(page.url()).not.toContain(hidden);
  const stored = await page.evaluate(async () => ({
    lasting: JSON.stringify(localStorage) + document.cookie,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    session: JSON.stringify(sessionStorage),
  }));
  expect(stored).toMatchObject({ databases: ['nurselog'], caches: 0, workers: 0 });
  const work = await storedText(page);
  expect(work).toContain('site=44.12');
  expect(work).not.toContain(hidden);
  expect(stored.lasting).not.toContain(hidden);
  expect(stored.session).toContain(hidden);
  expect(log.length).toBeGreaterThan(5);
  expect(log.join('')).not.toContain(hidden);
});
