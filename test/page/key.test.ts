import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../../testing/free-port.js';
import { startTestService } from '../support/service.js';
import { linkOf, serviceAndBrowser, test, WITHOUT_MAP, watchedPage } from './support/browser.js';
import { launchWithoutSiteData } from './support/launch-browser.js';
import { collection, drop, saved } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

test('the link of the first start opens the page; the key leaves it for the session', async () => {
  const { page, context } = await watchedPage(shared.browser);
  await page.goto(linkOf(shared.service));
  await page.getByRole('tab', { name: 'Site' }).waitFor();
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
  const stored = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie);
  expect(page.url() + stored).not.toContain('nurse_live_');
  expect(await page.evaluate(() => history.length)).toBe(2); // about:blank, and the page without the key
  await page.reload();
  await page.getByRole('tab', { name: 'Site' }).waitFor();
  const other = await context.newPage(); // a session of its own
  await other.goto(shared.service.apiUrl);
  await other.getByLabel('API key').waitFor();
});

test('a malformed key, of a link or typed, leads to the form, which says what a key is', async () => {
  const { page } = await watchedPage(shared.browser);
  const key = page.getByLabel('API key');
  await page.goto(`${shared.service.apiUrl}/#key=nurse_live_abc`);
  await page.getByText('That is no key').waitFor();
  expect(page.url()).not.toContain('nurse_live_');
  await key.fill(shared.service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'About the figures' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await key.waitFor();
  expect(await page.getByText('That is no key').count()).toBe(0);
  await key.fill('nurse_live_short');
  await page.keyboard.press('Enter');
  await page.getByText('That is no key').waitFor();
});

test('where site data is blocked, the page opens, and keeps the key until a reload', async () => {
  const profile = mkdtempSync(path.join(tmpdir(), 'nurselog-profile-'));
  const context = await launchWithoutSiteData(profile);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.clock.install();
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new Error('blocked'); // at once, as some browsers do
    };
  });
  await page.goto(linkOf(shared.service));
  await page.getByRole('tab', { name: 'Site' }).waitFor();
  await page.clock.runFor(5000); // longer than storage may take
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
  expect(page.url()).not.toContain('nurse_live_');
  await expect(page.evaluate(() => sessionStorage.length)).rejects.toThrow('denied');
  await page.reload();
  await page.getByLabel('API key').waitFor();
  expect(faults).toEqual([]);
  await context.close();
  rmSync(profile, { recursive: true });
});

test('an answer of another server is named, and asked for again without a click, even if a check is never answered', async () => {
  const { page } = await watchedPage(shared.browser);
  await page.clock.install();
  let checks = 0;
  await page.route('**/v1/health', (route) => (checks++ === 0 ? undefined : route.continue()));
  const login = { contentType: 'text/html', body: '<h1>Log in</h1>' };
  await page.route('**/v1/model', (route) => route.fulfill({ ...login, status: 403 }), { times: 1 });
  await page.goto(linkOf(shared.service));
  await page.locator('[data-problem="intercepted"]').getByText('status 403 is not one of nurselog').waitFor();
  await page.clock.runFor(20_000); // a check after 3 seconds, given up after 10, and another after 6
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
});

test.each(['setItem', 'getItem'])(
  'where %s of a full or damaged storage throws, the page takes the key and other units all the same',
  async (call) => {
    const { page } = await watchedPage(shared.browser);
    await page.addInitScript(`Storage.prototype.${call} = () => { throw new DOMException(); };`);
    await page.goto(linkOf(shared.service));
    await page.getByRole('button', { name: 'Metric' }).click();
    await page.getByRole('button', { name: 'US units' }).waitFor();
  },
);

test('a key that is unknown, and one that is deactivated while the page is open, lead to the form with the reason', async () => {
  const { page } = await watchedPage(shared.browser);
  await page.goto(`${shared.service.apiUrl}/#key=nurse_live_${'0'.repeat(32)}`);
  await page.getByText('This key is not accepted.').waitFor();
  const { id, secret } = await shared.service.issueKey('hypha');
  await page.keyboard.insertText(secret); // the field has the focus
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Site' }).waitFor();
  await page.locator('#place').waitFor();
  await shared.service.administration.setState(id, 'deactivated');
  // Within 5 seconds the service refuses it; every choice of a site asks.
  const isRefused = async () => {
    const form = page.getByText('This key is deactivated.');
    if (await form.isVisible()) return true;
    // The form may come while it waits for the field.
    const place = `44.1${Math.floor(Math.random() * 9)}, -122.03`;
    await page.locator('#place').fill(place, { timeout: 1000 });
    await page.keyboard.press('Enter');
    return false;
  };
  await expect.poll(isRefused).toBe(true);
});

test('a key that has used its requests of the day gets the time when it has new ones, and units can be saved', async () => {
  const { secret } = await shared.service.issueKey('spore');
  for (let count = 0; count < 100; count++) await shared.service.get('/v1/species', { 'x-api-key': secret });
  const { page } = await watchedPage(shared.browser);
  await page.goto(`${shared.service.apiUrl}/#key=${secret}`);
  const banner = page.locator('[data-problem="quota"]');
  const used = 'The key has used all its requests for today.';
  await banner.getByText(used).waitFor();
  await banner.getByText('New requests from').waitFor();
  await page.locator('#panel').getByText(`Not loaded. ${used}`).waitFor();
  await page.getByRole('tab', { name: 'Units' }).click();
  await drop(page, 'units.geojson', collection(['North slope']));
  for (const button of ['Save project', 'Export GeoJSON', 'Export CSV'])
    expect(await saved(page, button)).toContain('North slope');
  await banner.getByRole('button', { name: 'Use another key' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.getByText('This key is not accepted.').count()).toBe(0);
});

test('the page says when the service is away, and continues by itself when it is back', async () => {
  const port = String(await freePort());
  const first = await startTestService({ PORT: port });
  const { page } = await watchedPage(shared.browser);
  await page.goto(linkOf(first));
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
  await first.stop();
  await page.locator('#place').fill('44.12, -122.03');
  await page.keyboard.press('Enter');
  await page.locator('[data-problem="offline"]').waitFor();
  const second = await startTestService({ PORT: port });
  // The new service has a store and a key of its own.
  await page.getByText('This key is not accepted.').waitFor();
  await page.getByLabel('API key').fill(second.key);
  await page.keyboard.press('Enter');
  await page.getByTestId('tile-manual').waitFor();
  await second.stop();
});

test('a service that drains or is overloaded is told apart from one that is away', async () => {
  const { page } = await watchedPage(shared.browser);
  await page.goto(linkOf(shared.service));
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  const broken = { error: { code: 'internal_error', message: 'An internal error.' } };
  await page.route('**/v1/predict/compare', (route) => route.fulfill({ status: 500, json: broken }));
  await page.locator('#place').fill('44.13, -122.03');
  await page.keyboard.press('Enter');
  await page.locator('#panel').getByText('An internal error.').waitFor();
  expect(await page.locator('[data-problem]').count()).toBe(0);
  await page.unroute('**/v1/predict/compare');
  const body = { error: { code: 'overloaded', message: 'Too many sites wait.' } };
  await page.route('**/v1/predict/compare', (route) => route.fulfill({ status: 503, json: body }));
  await page.locator('#place').fill('44.12, -122.03');
  await page.keyboard.press('Enter');
  await page.locator('[data-problem="busy"]').getByText('Too many sites wait.').waitFor();
  await page.unroute('**/v1/predict/compare');
  await page.getByTestId('tile-manual').waitFor(); // it tries again by itself
  // Only what failed.
  expect(paths.filter((path) => path === '/v1/species' || path === '/v1/model')).toEqual([]);
});
