import { expect } from 'vitest';
import { readCsv } from '../http/support/tables.js';
import { rectangle } from '../prediction/support/outlines.js';
import { linkOf, serviceAndBrowser, test, WITHOUT_MAP, watchedPage } from './support/browser.js';
import { zippedShapefile } from './support/shapefile.js';
import { survivalAt } from './support/survival.js';
import { collection, drop, openUnits, planned, RING, saved, score, storedText } from './support/units.js';

/** A name that would run if it were read as markup or a formula. */
const HOSTILE = '=HYPERLINK("x")<img src=x onerror=document.title="run">';

const shared = await serviceAndBrowser(WITHOUT_MAP);

test('GeoJSON and a zipped shapefile become named units, with costs per survivor', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope']));
  await drop(page, 'units.zip', zippedShapefile('Stand 17', RING));
  await page.getByLabel(/Hand planting, per planted tree/).fill('1.2');
  await page.getByLabel(/Drone seeding, per sown spot/).pressSequentially('0.05');
  expect(await page.getByLabel(/Drone seeding, per sown spot/).inputValue()).toBe('0.05');
  await page.getByLabel(/Drone seeding, per sown spot/).fill('0.6');
  await page.getByText('Hand pays below').first().waitFor();
  await expect.poll(() => planned(page)).toEqual(['North slope', 'Stand 17']);
  await page.getByLabel('Best option of each unit only').uncheck();
  await page.getByLabel('Filter').fill('stand 17');
  await expect.poll(async () => new Set(await planned(page))).toEqual(new Set(['Stand 17']));
  for (const row of readCsv(await saved(page, 'Export CSV'))) {
    const { planting_method, cost_per_survivor, survival_mean } = row;
    const cost = planting_method === 'manual' ? 1.2 : 0.6;
    if (cost_per_survivor !== '')
      expect(Number(cost_per_survivor)).toBeCloseTo(cost / Number(survival_mean), 3);
  }
  await page.locator('.controls select').first().selectOption('PISI'); // of the coast
  await page.getByLabel('Sitka spruce only').check();
  await page.getByText('No species asked for is native there: North slope, Stand 17.').waitFor();
});

test('a number that cannot be used says which can and stays as typed, and a cost without the other says that both are needed', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope']));
  const [manual, drone] = [page.getByLabel(/^Hand planting, per/), page.getByLabel(/^Drone seeding, per/)];
  const range = page.getByText('From $0.000001 to $1,000,000,000.');
  const missing = page.getByText('Costs per survivor need both costs.');
  await manual.fill('0');
  await range.waitFor();
  await manual.fill('$1,000.50');
  await range.waitFor({ state: 'detached' });
  await missing.waitFor();
  await drone.fill('0,6'); // a decimal comma
  await page.getByText('Hand pays below').first().waitFor();
  expect(await missing.count()).toBe(0);
  for (const [label, text, message] of [
    ['Reserve, %', '-5', 'From 0 to 1,000.'],
    ['Unsure where the low end is below, %', '101', 'From 0 to 100.'],
  ] as const) {
    await page.getByLabel(label).fill(text);
    await page.getByText(message, { exact: true }).waitFor();
    const described = await page.getByLabel(label).getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe(message);
    expect(await page.getByLabel(label).inputValue()).toBe(text);
    await page.getByLabel(label).fill('');
    expect(await page.getByLabel(label).inputValue()).toBe('');
  }
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON'));
  const used = { unsure_below: 0.5, cost_manual: 1000.5, cost_drone_seeded: 0.6 };
  expect(features[0].properties).toMatchObject(used);
});

test('names of a file are shown as text; formulas are made harmless in the export', async () => {
  const { page } = await openUnits(shared);
  const names = [HOSTILE, '+1+cmd', '@SUM(\uFFFD)', '-7', 'a;=1+1', 'a\n=1+1;b'];
  await drop(page, 'units.geojson', collection(names));
  await page.locator('table.plan').getByText(HOSTILE).waitFor();
  expect(await page.locator('#panel img').count()).toBe(0);
  expect(await page.title()).toBe('nurselog planner');
  const csv = await saved(page, 'Export CSV');
  expect(csv).toMatch(/^\uFEFFunit,/); // the mark by which Excel knows UTF-8
  expect(csv).toContain(`"a;'=1+1"`);
  expect(csv).not.toMatch(/^["\s]*[=+@]/m); // a line break begins a row where semicolons separate cells
  // The fourth is a number.
  const harmless = new Set([`'${HOSTILE}`, "'+1+cmd", "'@SUM(\uFFFD)", '-7', "a;'=1+1", "a\n'=1+1;b"]);
  expect(new Set(readCsv(csv).map(({ unit }) => unit))).toEqual(harmless);
});

test('points are scored by the table endpoint; errors and columns stay in their rows', async () => {
  const { page } = await openUnits(shared, { warming: '2', 'practice.overstory_cover': '30' });
  const rows = `${HOSTILE.replaceAll(/[",]/g, '')},44.12,-122.03,,,0\nsea,44,-130,,,\n`;
  await drop(page, 'points.csv', `plot,lat,lon,=1+1,a;@b,overstory_cover\n${rows}`);
  await page.getByRole('heading', { name: '2 points' }).waitFor();
  await score(page, '2 of 2 rows answered, 1 with an error');
  const csv = await saved(page, /^Save 2 rows/);
  const own = { scenario: { warming_c: 2 }, conditions: { overstory_cover: 0 } };
  const survival = await survivalAt(shared.service, own);
  const [good, bad] = readCsv(csv);
  expect(Number(good!.survival_5)).toBe(survival);
  expect(good!.plot).toMatch(/^'=HYPERLINK/);
  expect(Object.keys(good!)).toEqual(expect.arrayContaining(["'=1+1", "a;'@b"]));
  expect(good!.lon).toBe('-122.03');
  const model = (await (await shared.service.get('/v1/model')).json()) as Record<string, string>;
  const { version, digest, outcomes, caution } = model;
  const asked = { horizon_years: '5', warming_c: '2', model_version: version, model_digest: digest };
  expect(good).toMatchObject({ ...asked, outcomes, caution, overstory_cover: '0' });
  expect(bad).toMatchObject({ ...asked, outcomes, caution, overstory_cover: '30' });
  expect(good!.date).toBe(new Date().toLocaleDateString('en-CA'));
  expect(bad!.error_code).toBe('outside_coverage');
  page.once('dialog', (dialog) => dialog.accept());
  await drop(page, 'points.csv', csv); // what was saved can be scored again
  await page.getByText('2 of 2 rows').waitFor({ state: 'detached' });
  await score(page, '2 of 2 rows answered, 1 with an error');
  const [again] = readCsv(await saved(page, /^Save 2 rows/));
  expect(again).toMatchObject({ survival_5: good!.survival_5, file_survival_5: good!.survival_5 });
});

test('scoring can be stopped and continued, and no answered row goes without a question', async () => {
  const { secret } = await shared.service.issueKey('mycel'); // requests of 100 rows
  const { page } = await openUnits({ ...shared, service: { ...shared.service, key: secret } });
  await drop(page, 'points.csv', `latitude,longitude\n${'44.12,-122.03\n'.repeat(2000)}`);
  let answered = 0;
  await page.route('**/v1/predict/table*', (route) => (answered++ < 2 ? route.continue() : undefined)); // the third waits
  await score(page, '200 of 2,000 rows answered');
  await page.getByRole('tab', { name: 'Site' }).click(); // it continues in the background
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  expect((await saved(page, 'Save 200 rows')).trim().split('\r\n')).toHaveLength(201);
  await page.unroute('**/v1/predict/table*');
  await expect.poll(() => storedText(page)).toContain('survival_5');
  await page.route('**/v1/model', () => undefined); // the models that serve are not known
  await page.reload();
  await page.getByText('200 of 2,000 rows answered').waitFor();
  expect(await page.getByText('Changed since then').count()).toBe(0);
  await page.unroute('**/v1/model');
  await page.reload();
  await page.getByRole('button', { name: 'Continue with the other 1,800 rows' }).click();
  await page.getByText('2,000 of 2,000 rows answered').waitFor();
  expect((await saved(page, 'Save 2,000 rows')).trim().split('\r\n')).toHaveLength(2001);
  const other = 'latitude,longitude\n44.12,-122.03\n';
  await drop(page, 'others.csv', other); // Playwright declines questions by itself
  await page.getByText('Left out, so that the answered rows stay: 1 point.').waitFor();
  await page.getByText('2,000 of 2,000 rows answered').waitFor();
  page.once('dialog', (dialog) => dialog.accept());
  await drop(page, 'others.csv', other);
  await page.getByRole('heading', { name: '1 point' }).waitFor();
  await drop(page, 'others.csv', `${other}44.13,-122.03\n`); // nothing is answered, nor asked
  await page.getByRole('heading', { name: '2 points' }).waitFor();
  expect(await page.getByText('rows answered').count()).toBe(0);
});

test('points that take more requests than the key has left say so before and after', async () => {
  const { secret } = await shared.service.issueKey('spore'); // 10 rows a request
  const { page } = await openUnits({ ...shared, service: { ...shared.service, key: secret } });
  await drop(page, 'points.csv', `latitude,longitude\n${'44.12,-122.03\n'.repeat(995)}`);
  await page.getByText(/^Scoring 995 rows takes 100 requests; the key has \d\d left today\.$/).waitFor();
  await score(page, /^Scoring .* the key has 0 left today\.$/);
  expect(await page.locator('[data-problem="quota"]').count()).toBe(1);
});

test('a plan takes as few requests as the batch size of the key allows', async () => {
  const { secret } = await shared.service.issueKey('spore'); // 10 units a request
  const { page } = await watchedPage(shared.browser);
  const usage = page.waitForResponse('**/v1/usage');
  await page.goto(linkOf({ ...shared.service, key: secret }, { panel: 'units' }));
  await (await usage).finished();
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/plan')) requests++;
  });
  const names = Array.from({ length: 12 }, (_, index) => `Unit ${index + 1}`);
  await drop(page, 'units.geojson', collection(names));
  await page.locator('table.plan').getByText('Unit 12').waitFor();
  expect(requests).toBe(2);
});

test('files that cannot be used say why, as do several that are dropped at once', async () => {
  const { page } = await openUnits(shared);
  for (const [name, body, message] of [
    ['units.geojson', '{"type":', 'The file is not JSON'],
    ['units.geojson', '{"type":"FeatureCollection","features":[]}', 'no polygons and no points'],
    ['units.geojson', '[1,2]', 'not a GeoJSON FeatureCollection'],
    ['points.csv', '\n', 'The CSV is empty.'],
    ['points.csv', 'a,b\n1,2\n', 'needs the columns latitude and longitude; it has: a, b'],
    ['points.csv', 'latitude,longitude,plot\n44,-122,a\n44,-122,"b\n44,-122,c\n', 'Row 3 of the CSV'],
    ['points.csv', 'latitude,longitude,plot\n44,-122,a\n44,-122\n', 'Row 3 of the CSV'],
    ['units.zip', 'no zip', 'no shapefile that can be read'],
    ['units.shp', 'x', 'drop the zip of all its parts'],
    ['units.kml', 'x', 'not GeoJSON ('],
    ['points.csv', Buffer.from('latitude,longitude\n44,-122,Ca\xf1on\n', 'latin1'), 'The file is not UTF-8'],
    ['units.geojson', Buffer.from(collection(['Ca\xf1on']), 'latin1'), 'The file is not UTF-8'],
  ] as const) {
    await drop(page, name, body);
    await page.locator('#panel .error').getByText(message).waitFor();
  }
  await page.setViewportSize({ width: 1200, height: 300 });
  await page.getByRole('tab', { name: 'About' }).click(); // files may be dropped anywhere
  await page.locator('.map').evaluate(
    (element, texts) => {
      const dataTransfer = new DataTransfer();
      for (const text of texts) dataTransfer.items.add(new File([text], 'units.geojson'));
      element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [collection(['North slope']), collection(['South slope'])],
  );
  await page.locator('#panel .error').getByText('2 files were dropped: drop one at a time').waitFor();
  await expect.poll(() => page.locator('#panel').evaluate((each) => each.scrollTop)).toBeGreaterThan(0);
  const damaged = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: null } };
  const metres = { type: 'Polygon', coordinates: [RING.map(([x, y]) => [x * 1e4, y * 1e5])] };
  const noRing = { type: 'Polygon', coordinates: [5, [[{ toString: 1 }, 2]]] };
  const features = [
    damaged,
    { type: 'Feature', properties: { name: 'In metres' }, geometry: metres },
    { type: 'Feature', properties: { name: 'Without a ring' }, geometry: noRing },
  ];
  await drop(page, 'units.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
  await page.getByText('Neither polygons nor points, and left out: 1 feature').waitFor();
  await page.locator('#panel .error').getByText('In metres').waitFor();
  await drop(page, 'units.kml', 'x');
  await page.locator('#panel .error').getByText('not GeoJSON (').waitFor();
  expect(await page.getByText('Neither polygons').count()).toBe(0);
  await drop(page, 'units.geojson', collection(['In degrees']));
  await expect.poll(() => planned(page)).toEqual(['In degrees']);
  expect(await page.locator('#panel .error').count()).toBe(1); // of the other units
  expect(await saved(page, 'Export KML')).toContain('<name>Without a ring</name>');
});

test('units are named by text, by objects as JSON, or by their number; two loads of one file add them once, and others of the same name get a number', async () => {
  const { page } = await openUnits(shared);
  const file = collection([' North slope ', { stand: 17 }, '  ']);
  await drop(page, 'units.geojson', file);
  await drop(page, 'units.geojson', file);
  await page.getByText('Here already, and not added again: 3 units.').waitFor();
  await drop(page, 'units.zip', zippedShapefile('North slope', RING));
  const names = ['{"stand":17}', 'North slope', 'North slope (2)', 'Unit 3'];
  await expect.poll(() => planned(page)).toEqual(names);
  await page.keyboard.press('Control+z'); // needs no map
  await expect.poll(() => planned(page)).not.toContain('North slope (2)');
});

test('a unit with a single data point is said to have 1 point', async () => {
  const { page } = await openUnits(shared);
  const ring = rectangle(-122.035, 44.115, -122.0315, 44.1185); // around one of the grid
  await drop(page, 'small.json', JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
  const table = page.locator('table.plan');
  await table.getByText(/, 1 point$/).waitFor();
});
