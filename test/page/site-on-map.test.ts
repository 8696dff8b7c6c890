import { expect } from 'vitest';
import { openPage, serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { mapReady, middleOfMap } from './support/launch-browser.js';
import { survivalAt } from './support/survival.js';
import { collection, drop } from './support/units.js';

const shared = await serviceAndBrowser();

test("a click on the map shows the API's numbers for that place; the address keeps it", async () => {
  const { page } = await openPage(shared, { map: '9/44.12/-122.03' });
  await mapReady(page);
  await page.mouse.click(...(await middleOfMap(page)));
  await page.getByTestId('tile-manual').waitFor();
  const [latitude, longitude] = new URLSearchParams(new URL(page.url()).hash.slice(1))
    .get('site')!
    .split(',')
    .map(Number);
  expect(latitude).toBeCloseTo(44.12, 2);
  expect(longitude).toBeCloseTo(-122.03, 2);
  for (const planting_method of ['manual', 'drone_seeded']) {
    const value = await survivalAt(shared.service, { latitude, longitude, planting_method });
    await page.locator(`[data-testid="tile-${planting_method}"] [data-value="${value}"]`).waitFor();
  }
});

test('a place is found by its name, its ZIP code, coordinates or where the browser is; other texts get the reason', async () => {
  const located = { geolocation: { latitude: 44.25, longitude: -122.4 }, permissions: ['geolocation'] };
  const { page } = await openPage(shared, { site: '44.12,-122.03' }, located);
  await page.route('**/places-*.json', (route) => route.abort());
  for (const [text, reason] of [
    ['Bend', 'The names of places cannot be loaded now'],
    ['Mount Hood', 'Mountains and roads are not in its list'],
    ['T19S R5E S12', 'cannot find township, range and section'],
  ] as const) {
    await page.locator('#place').fill(text);
    await page.keyboard.press('Enter');
    await page.locator('.place').getByText(reason).waitFor();
    await page.getByText('Click the map, or enter a place').waitFor(); // no figures of another place
    await page.unroute('**/places-*.json');
  }
  for (const [text, coordinates] of [
    ['Oakridge, OR', /^43\.7[45]\d*, -122\.4[56]/],
    ['97413', /^44\.\d+, -12[12]\./], // McKenzie Bridge
    ['Crater Lake', /^42\.9\d*, -122\.1/],
    ['44 7 12 N, 122 1 48 W', /^44\.12, -122\.03$/],
    ['10T 461000 4885000', /^44\.1\d+, -123\.4/],
  ] as const) {
    await page.locator('#place').fill(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#place').inputValue()).toMatch(coordinates); // those of the site
  }
  await page.locator('#place').fill('bend');
  await page.locator('#places option[value="Bend, Oregon"]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'My location' }).click();
  await expect.poll(() => page.url()).toMatch(/site=44\.25,-122\.4&.*map=9(\.\d+)?\/44\.25\d*\/-122\.4/);
});

test('where the browser is does not replace what was chosen while it was found', async () => {
  const { page } = await openPage(await serviceAndBrowser(WITHOUT_MAP), { site: '44.12,-122.03' });
  await page.evaluate(() => {
    const coords = { latitude: 44.25, longitude: -122.4 } as GeolocationCoordinates;
    navigator.geolocation.getCurrentPosition = (answer) =>
      addEventListener('located', () => answer({ coords } as GeolocationPosition));
  });
  const locate = page.getByRole('button', { name: 'My location' });
  await locate.click();
  await page.locator('#place').fill('44.2, -122.1');
  await page.evaluate(() => dispatchEvent(new Event('located')));
  await locate.click(); // it was answered
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  await page.evaluate(() => dispatchEvent(new Event('located')));
  expect(page.url()).toMatch(/panel=units.*site=44\.12,-122\.03/);
});

test('the map of earlier choices is not printed while that of new choices is loaded', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  await drop(page, 'units.geojson', collection(['North slope']));
  const print = page.getByRole('button', { name: /^Print/ });
  await expect.poll(() => print.isEnabled()).toBe(true);
  let load = () => {};
  const isAwaited = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route('**/v1/surfaces/**', (route) => isAwaited.then(() => route.continue()));
  await page.locator('.controls select').first().selectOption('PISI');
  await page.getByRole('heading', { name: 'Sitka spruce, alive after 5 years' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Copy link' }).isEnabled()).toBe(true);
  expect(await print.isDisabled()).toBe(true);
  await page.getByRole('tab', { name: 'Units' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Export CSV' }).isEnabled()).toBe(true);
  expect(await print.isDisabled()).toBe(true);
  load();
  await expect.poll(() => print.isEnabled()).toBe(true);
});
