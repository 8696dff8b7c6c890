import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ServedModel } from '../../web/src/api/types.js';
import { readCsv } from '../http/support/tables.js';
import { linkOf, openPage, serviceAndBrowser, test, WITHOUT_MAP, watchedPage } from './support/browser.js';
import { mapReady, middleOfMap, setWarming } from './support/launch-browser.js';
import { survivalAt } from './support/survival.js';

/** A data point in the forest of the Cascades. */
const POINT = { latitude: 44.11669, longitude: -122.03331 };
const CLOSE_UP = `11/${POINT.latitude}/${POINT.longitude}`;
const shared = await serviceAndBrowser();

/** The survival that the page shows for the cell in the middle of the map, in whole percent or points. */
async function underPointer(page: Page): Promise<string> {
  const [x, y] = await middleOfMap(page);
  await page.mouse.move(x + 1, y + 1);
  await page.mouse.move(x, y);
  return page.locator('.hover').innerText();
}

/** A picture of the middle of the map, once the map is at rest. */
async function drawn(page: Page): Promise<string> {
  const [x, y] = await middleOfMap(page);
  const clip = { x: x - 150, y: y - 100, width: 300, height: 200 };
  let last = '';
  await expect
    .poll(async () => {
      const before = last;
      last = (await page.screenshot({ clip })).toString('base64');
      return last === before;
    })
    .toBe(true);
  return last;
}

const survival = (options: object = {}) => survivalAt(shared.service, { ...POINT, ...options });

test('the value under the pointer is that of the API, with and without a scenario', async () => {
  const { page } = await openPage(shared, { map: CLOSE_UP });
  await mapReady(page);
  const today = await survival();
  expect(await underPointer(page)).toContain(`${Math.round(today * 100)}\u00a0% alive after 5 years`);
  await setWarming(page, '3');
  const scenario = { scenario: { warming_c: 3, precipitation_change_percent: 0 } };
  const later = await survival(scenario);
  expect(Math.round(later * 100)).not.toBe(Math.round(today * 100));
  await expect
    .poll(() => underPointer(page))
    .toContain(`${Math.round(later * 100)}\u00a0% alive after 5 years`);
});

test('each layer is drawn in its own way, with a legend', async () => {
  const { page } = await openPage(shared, { map: CLOSE_UP });
  const pictures = new Set<string>();
  for (const [layer, title] of [
    ['survival', 'Hand planting: survival after 5 years'],
    ['advantage', 'Hand planting minus drone seeding after 5 years'],
    ['width', 'Width of the 80 % interval'],
    ['best', 'Native species with the highest survival after 5 years'],
  ] as const) {
    await page.getByLabel('Map shows').selectOption(layer);
    await page.locator('.legend summary').getByText(title).waitFor();
    await mapReady(page);
    pictures.add(await drawn(page));
  }
  expect(pictures.size).toBe(4);
  // The difference from today is offered in another climate alone.
  const layers = page.getByLabel('Map shows').locator('option');
  expect(await layers.allInnerTexts()).not.toContain('Change from today');
  await setWarming(page, '2');
  await page.getByLabel('Map shows').selectOption('change');
  const shown = 'Douglas-fir, hand planting, after 5 years, 2 °C warmer.';
  await page.locator('.legend').getByText(shown).waitFor();
  await mapReady(page);
  const scenario = { scenario: { warming_c: 2, precipitation_change_percent: 0 } };
  const change = (await survival(scenario)) - (await survival());
  expect(await underPointer(page)).toContain(`−${Math.abs(change * 100).toFixed(1)} points against today`);
});

test('the relief shows through the cells by their opacity, which the link keeps', async () => {
  const { page } = await watchedPage(shared.browser);
  const relief = page.waitForResponse(/relief.*\.pmtiles$/);
  await page.goto(linkOf(shared.service, { map: CLOSE_UP }));
  expect((await relief).status()).toBe(206);
  await mapReady(page);
  const before = await drawn(page);
  await page.getByLabel('Opacity of cells').fill('0.4');
  await expect.poll(() => drawn(page)).not.toBe(before);
  expect(page.url()).toContain('opacity=0.4');
  expect(await page.locator('.legend .ramp rect').last().getAttribute('opacity')).toBe('0.4');
  expect(await page.locator('.legend').innerText()).toContain('Blank: no forest');
});

test('the legend of the interval width reaches the widest intervals', async () => {
  const { page } = await watchedPage(shared.browser);
  const table = page.waitForResponse('**/v1/predict/table*');
  const choices = { layer: 'width', species: 'PIPO', method: 'drone_seeded', map: '8/44.1/-121.5' };
  await page.goto(linkOf(shared.service, choices));
  const rows = readCsv(await (await table).text());
  await mapReady(page);
  const widest = Math.max(...rows.map((row) => Number(row.high_5) - Number(row.low_5)));
  expect(widest).toBeGreaterThan(0.9);
  const ticks = await page.locator('.legend .ticks span').allInnerTexts();
  expect(Number(ticks.at(-1))).toBeGreaterThan(widest * 100);
  const { secret } = await shared.service.issueKey('spore');
  await page.goto(linkOf({ ...shared.service, key: secret }, { layer: 'width', species: 'PSME' }));
  await page.getByText('Intervals on the map need a key of a higher tier').waitFor();
});

test('buttons move a map beside the panel, and its attribution covers no scale bar', async () => {
  const viewport = { width: 911, height: 640 };
  const { page } = await openPage(shared, { map: '9/44.1000/-122.0000' }, { viewport });
  await mapReady(page);
  const scale = (await page.locator('.maplibregl-ctrl-scale').boundingBox())!;
  const attribution = (await page.locator('.maplibregl-ctrl-attrib').boundingBox())!;
  expect(scale.x + scale.width).toBeLessThan(attribution.x);
  await page.getByRole('button', { name: 'Move the map east' }).click();
  await expect.poll(() => page.url()).toMatch(/map=9\.00\/44\.1000\/-121\./);
});

test('cells become finer as one zooms in, down to the points of the grid', async () => {
  const sizes: number[] = [];
  for (const map of ['5.5/45/-121', '7.5/44.1/-122', CLOSE_UP]) {
    const { page } = await openPage(shared, { map });
    await mapReady(page);
    sizes.push(Number(/A cell is ([\d.]+) km/.exec(await page.locator('.legend').innerText())![1]));
  }
  const [region, county, closeUp] = sizes;
  expect(region).toBeGreaterThan(3);
  expect(county).toBeLessThan(region!);
  expect(closeUp).toBe(0.9);
});

test('on a phone at a high zoom every edge of the map shows the cell that lies there', async () => {
  const { page } = await watchedPage(shared.browser, { viewport: { width: 360, height: 900 } });
  await page.goto(linkOf(shared.service, { map: '14/44.1100/-122.0249' }));
  await mapReady(page);
  const { x, y, width, height } = (await page.getByTestId('map').boundingBox())!;
  for (const [across, down] of [
    [2, height / 2],
    [width - 3, height / 2],
    [width / 3, 2],
    [width / 3, height - 3],
  ] as const) {
    await page.mouse.move(x + across, y + down);
    await expect.poll(() => page.locator('.hover').allInnerTexts()).toHaveLength(1);
    await page.mouse.move(0, 0);
    await expect.poll(() => page.locator('.hover').count()).toBe(0);
  }
});

test('what the figures are is shown as the API tells it', async () => {
  const { page } = await openPage(await serviceAndBrowser(WITHOUT_MAP), { panel: 'about' });
  const model = (await (await shared.service.get('/v1/model')).json()) as ServedModel;
  for (const text of [model.caution, ...Object.values(model.alive), model.version])
    await page.locator('#panel').getByText(text).last().waitFor(); // the version is in the head for print, too
});
