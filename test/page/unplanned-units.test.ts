import { expect } from 'vitest';
import { readCsv } from '../http/support/tables.js';
import { startOnReleases } from '../support/service-on-releases.js';
import { serviceAndBrowser, test, WITHOUT_MAP, watchedPage } from './support/browser.js';
import { collection, drop, openUnits, planned, RING, saved, score } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

interface Exported {
  features: { properties: Record<string, unknown>; geometry: unknown }[];
}

test('units without a plan are counted, and in GeoJSON, CSV and report with the reason', async () => {
  const { page } = await openUnits(shared);
  const inMetres = { type: 'Polygon', coordinates: [RING.map(([x, y]) => [x * 1e4, y * 1e5])] };
  const inDegrees = { type: 'Polygon', coordinates: [RING.toReversed()] };
  const features = [
    { type: 'Feature', properties: { name: 'In metres' }, geometry: inMetres },
    { type: 'Feature', properties: { name: 'In degrees' }, geometry: inDegrees },
  ];
  await drop(page, 'units.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
  await page.locator('table.plan').getByText('In degrees').waitFor();
  await page.getByText('1 unit planned, 1 refused.').waitFor();
  const shown = await page.locator('#panel ul.error li').innerText();
  const reason = shown.replace('In metres: ', '');

  const geoJson = JSON.parse(await saved(page, 'Export GeoJSON')) as Exported;
  expect(geoJson.features.map(({ geometry }) => geometry)).toEqual([inMetres, inDegrees]);
  expect(geoJson.features[0]!.properties).toMatchObject({ unit: 'In metres', error: reason });
  expect(geoJson.features[0]!.properties).not.toHaveProperty('species');
  expect(geoJson.features[1]!.properties).toMatchObject({ unit: 'In degrees', rank: 1 });
  const rows = readCsv(await saved(page, 'Export CSV'));
  const failed = rows.filter(({ error }) => error !== '');
  expect(failed).toMatchObject([{ unit: 'In metres', error: reason, species: '' }]);
  expect(rows.some(({ unit, rank }) => unit === 'In degrees' && rank === '1')).toBe(true);
  await page.emulateMedia({ media: 'print' });
  const report = await page.locator('.report').innerText();
  expect(report).toContain('Planting plan: 2 units');
  expect(report).toContain('Without a plan: 1 unit');
  expect(report).toContain(shown);
  await page.emulateMedia({ media: 'screen' });

  await page.locator('.controls select').first().selectOption('PISI'); // of the coast
  await page.getByLabel('Sitka spruce only').check();
  await page.getByText('No species asked for is native there: In degrees.').waitFor();
  await page.emulateMedia({ media: 'print' });
  const printed = await page.locator('.report').innerText();
  expect(printed).toContain('In degrees: No species asked for is native there.');
  expect(printed).not.toContain('highest survival');
  expect(await page.getByRole('button', { name: 'Print report', includeHidden: true }).count()).toBe(0);
});

test('a plan whose options are refused is asked for once, however many units it has', async () => {
  const { page } = await openUnits(shared);
  let requests = 0;
  await page.route('**/v1/plan', (route) => {
    requests++;
    return route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), horizon: 2 }) });
  });
  const names = Array.from({ length: 12 }, (_, index) => `Unit ${index + 1}`);
  await drop(page, 'units.geojson', collection(names));
  await page.locator('#panel .error').getByText('horizon must be').waitFor();
  expect(requests).toBe(1);
  await page.getByText(`Not planned: ${names.slice(0, 10).join(', ')}, 2 more.`).waitFor();
});

test('where the quota ends in the middle of a plan, the answered units stay and the others are listed with the reason', async () => {
  const [{ secret }, other] = await Promise.all([
    shared.service.issueKey('spore'), // 10 units a request
    shared.service.issueKey('spore'),
  ]);
  const spent = { 'x-api-key': other.secret };
  const body = { units: JSON.parse(collection(['A'])) };
  let last = await shared.service.post('/v1/plan', body, spent);
  for (let sent = 1; sent <= 100 && last.status !== 429; sent++)
    last = await shared.service.post('/v1/plan', body, spent);
  const { error } = (await last.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe('rate_limit_exceeded');

  const service = { ...shared.service, key: secret };
  const { page } = await openUnits({ ...shared, service }, {}, { timezoneId: 'Pacific/Honolulu' });
  const asked: string[] = [];
  let isSpent = true;
  await page.route('**/v1/plan', (route) => {
    const { units } = route.request().postDataJSON() as { units: { features: { id: string }[] } };
    asked.push(units.features.map(({ id }) => id).join());
    const headers = { ...route.request().headers(), ...(isSpent && asked.length > 2 ? spent : {}) };
    return route.continue({ headers });
  });
  const names = Array.from({ length: 30 }, (_, index) => `Unit ${index + 1}`);
  await drop(page, 'units.geojson', collection(names));
  await page.getByText(`Not planned: ${names.slice(20).join(', ')}.`).waitFor();
  expect(await page.locator('p:has-text("Not planned") bdi').allTextContents()).toEqual(names.slice(20));
  const reason = await page.locator('#panel .error').getByText('used up until').innerText();
  expect(reason).toMatch(/ \d{4} at 2:00:00\sPM HST\.$/); // midnight UTC
  expect(await planned(page)).toEqual(names.slice(0, 20));
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as Exported;
  expect(features[19]!.properties).toMatchObject({ unit: 'Unit 20', rank: 1 });
  expect(features[20]!.properties).toMatchObject({ unit: 'Unit 21', error: reason });
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.report').innerText()).toContain('Without a plan: 10 units');
  await page.emulateMedia({ media: 'screen' });

  isSpent = false;
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.getByRole('tab', { name: 'Units' }).click(); // which asks again
  await expect.poll(() => planned(page)).toEqual(names);
  await expect.poll(() => page.locator('.report td.name').allTextContents()).toEqual(names);
  // Units with an answer were not sent again.
  expect([asked.indexOf(asked[0]!, 1), asked.indexOf(asked[1]!, 2)]).toEqual([-1, -1]);
  expect(new Set(asked).size).toBe(3);
});

test('a unit that is added while the service is away leaves the plan of others in place', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await page.locator('table.plan').getByText('South slope').waitFor();
  await page.route('**/v1/plan', (route) => route.abort());
  await drop(page, 'units.geojson', collection(['West slope']));
  await page.getByText('Not planned: West slope.').first().waitFor();
  expect(await planned(page)).toEqual(['North slope', 'South slope']);
  expect(await saved(page, 'Export CSV')).toContain('Not loaded: the service cannot be reached.');
  await page.unroute('**/v1/plan');
  await page.locator('table.plan').getByText('West slope').waitFor();
});

test('when the service loads other models, all units are planned anew by them', async () => {
  const { api, key, reload } = await startOnReleases();
  const { page } = await watchedPage(shared.browser, { acceptDownloads: true });
  await page.goto(`${api}/#key=${key}&panel=units`);
  await drop(page, 'units.geojson', collection(['North slope']));
  await page.locator('table.plan').getByText('North slope').waitFor();
  const version = await reload(3);
  const asked: number[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/plan')) asked.push(request.postDataJSON().units.features.length);
  });
  await drop(page, 'units.geojson', collection(['South slope']));
  await page.locator('table.plan').getByText('South slope').waitFor();
  expect(await page.locator('.print-head').textContent()).toContain(version);
  const data = readCsv(await saved(page, 'Export CSV'));
  expect(new Set(data.map(({ unit }) => unit))).toEqual(new Set(['North slope', 'South slope']));
  expect(new Set(data.map(({ model_version }) => model_version))).toEqual(new Set([version]));
  expect(asked).toEqual([1, 2]);
  await page.locator('#panel [role=alert]').waitFor({ state: 'detached' });
});

test('models that replace others of the same version are noticed when the tab is shown again, when the service was away and when points are scored', async () => {
  const { api, key, releases, reload } = await startOnReleases();
  const { page, context } = await watchedPage(shared.browser);
  const digest = async () => {
    const health = await (await fetch(`${api}/v1/health`)).json();
    return (health as { model: { digest: string } }).model.digest;
  };
  const replaceModels = async (caution: string) => {
    const before = await digest();
    await reload(1, () => releases.editManifest((manifest) => Object.assign(manifest, { caution })));
    await expect.poll(digest).not.toBe(before); // the log names the version alone
  };
  await page.goto(`${api}/#key=${key}&panel=units`);
  await drop(page, 'units.geojson', collection(['North slope']));
  await page.locator('table.plan').getByText('North slope').waitFor();
  await replaceModels('Other models.');
  const planned = page.waitForRequest('**/v1/plan');
  // Tests cannot hide a tab of this browser: it reports every page as visible.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.locator('.print-head').getByText('Other models.').waitFor({ state: 'attached' });
  await planned;

  await context.setOffline(true);
  await page.getByLabel('Native species only').uncheck();
  await page.locator('.banner[data-problem=offline]').waitFor();
  await replaceModels('Others again.');
  await context.setOffline(false);
  await page.getByLabel('Native species only').check(); // the page may be answered before it looks again
  await page.locator('.print-head').getByText('Others again.').waitFor({ state: 'attached' });

  await drop(page, 'points.csv', 'latitude,longitude\n44.12,-122.03\n');
  await replaceModels('For points.');
  await score(page, 'The models have changed: score the points again.');
  await page.locator('.print-head').getByText('For points.').waitFor({ state: 'attached' });
  await score(page, '1 of 1 rows answered');
  expect(await saved(page, 'Save 1 row')).toContain('For points.');
});

test('while the service cannot plan, units can be saved as GeoJSON', async () => {
  const { page } = await openUnits(shared);
  // A lost connection would not do: the page would repeat the plan and save nothing meanwhile.
  const error = { code: 'internal_error', message: 'The service failed.' };
  await page.route('**/v1/plan', (route) => route.fulfill({ status: 500, json: { error } }));
  await drop(page, 'units.geojson', collection(['North slope']));
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as Exported;
  const geometry = { coordinates: [RING.toReversed()] };
  expect(features).toMatchObject([{ properties: { unit: 'North slope' }, geometry }]);
  await page.route('**/assets/xlsx-*', (route) => route.abort());
  await page.getByRole('button', { name: 'Export XLSX' }).click();
  await page.getByText('A part of the page cannot be loaded. Try again when the service is back').waitFor();
});
