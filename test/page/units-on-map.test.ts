import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ServedModel } from '../../web/src/api/types.js';
import { serviceAndBrowser, test } from './support/browser.js';
import { mapReady, middleOfMap, pressTriangle, setWarming } from './support/launch-browser.js';
import { pixelsOf } from './support/png.js';
import { collection, drop, openUnits, openUnitsOnMap, RING, saved } from './support/units.js';

const LONG_NAME = 'stand_'.repeat(20);

const shared = await serviceAndBrowser();

test('a drawn polygon is planned, and its best option is that of the API', async () => {
  const { page } = await openUnitsOnMap(shared, { map: '11/44.12/-122.03' });
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  await pressTriangle(page, (x, y) => page.mouse.click(x, y));
  await page.keyboard.press('Enter');
  const row = page.locator('table.plan tbody tr');
  await row.waitFor();
  await page.mouse.click(...(await middleOfMap(page)));
  await page.locator('table.plan tr.chosen').waitFor();
  const [planned] = JSON.parse(await saved(page, 'Export GeoJSON')).features;
  const body = { units: { type: 'FeatureCollection', features: [planned] }, horizon: 5 };
  const response = await shared.service.post('/v1/plan', body);
  const { units } = (await response.json()) as {
    units: { options: { species_code: string; survival: object }[] }[];
  };
  const [best] = units[0]!.options;
  expect(planned.properties.species_code).toBe(best!.species_code);
  for (const [name, value] of Object.entries(best!.survival))
    expect(planned.properties[`survival_${name}`]).toBe(value);
});

test('the report is printed on at most two pages with map, legend, choices, model, caution and the best options', async () => {
  const { page } = await openUnitsOnMap(shared, { warming: '2', precipitation: '-10' });
  const names = Array.from({ length: 19 }, (_, index) => `Unit ${index + 1}`);
  await drop(page, 'units.geojson', collection([...names, LONG_NAME]));
  await page.locator('table.plan').waitFor();
  const tooWide = (selector: string) =>
    page.locator(selector).evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  await page.getByLabel('Change a unit').selectOption(LONG_NAME);
  await page.getByRole('button', { name: 'Edit corners' }).click();
  await page.locator('.spread').waitFor();
  for (const each of ['#panel', '.table:has(.plan)', '.map-area']) expect(await tooWide(each)).toBe(false);
  await page.getByRole('button', { name: 'Done' }).click();
  await mapReady(page); // printing waits for it
  await page.evaluate(() => {
    window.print = () => {
      window.dispatchEvent(new Event('beforeprint')); // as the browser's own command does
      document.body.setAttribute('data-printed', '');
    };
  });
  await page.getByRole('button', { name: 'Print report' }).click();
  await page.locator('body[data-printed]').waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await tooWide('html')).toBe(false);
  const printed = await page.locator('body').innerText();
  const model = (await (await shared.service.get('/v1/model')).json()) as ServedModel;
  for (const text of [
    new Date().toLocaleDateString('en-US', { dateStyle: 'long' }),
    'Alive after 5 years, 2 °C warmer and 10\u00a0% less precipitation',
    'Douglas-fir. Hand planting: survival after 5 years',
    '25\u00a0%',
    'Planting plan: 20 units',
    'Of all native species',
    'how sure the figure of a point is, not the mean of the unit. Areas are rounded one by one.',
    model.version,
    model.caution,
  ])
    expect(printed).toContain(text);
  expect(await page.getByRole('img', { name: 'The map' }).isVisible()).toBe(true);
  const pdf = (await page.pdf()).toString('latin1');
  await page.emulateMedia({ media: 'screen' });
  const pages = pdf.match(/\/Type\s*\/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThanOrEqual(1);
  expect(pages.length).toBeLessThanOrEqual(2);
  await page.route('**/v1/plan', () => undefined); // it waits
  await page.getByLabel('Native species only').uncheck();
  for (const name of ['Export CSV', 'Export XLSX', 'Export KML', 'Export GeoJSON', 'Print report'])
    await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true);
  expect(await page.locator('.report').count()).toBe(0);
});

test('a large unit says how its points spread and how many lie below the threshold, and can be split into parts that are drawn while they are proposed and are the whole', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North', 'South']));
  await page.getByLabel('Douglas-fir only').check();
  await page.locator('table.plan').getByRole('button', { name: 'North' }).click();
  const [[west, south], [east, north]] = [RING[0]!, RING[2]!];
  const response = await shared.service.get(`/v1/surfaces/PSME?bbox=${[west, south, east, north]}`);
  const surface = (await response.json()) as { points: number; survival: { manual: { 5: number[] } } };
  const values = surface.survival.manual['5'].toSorted((a, b) => a - b);
  const threshold = (values[4]! + values[5]!) / 2;
  await page.getByLabel(/^Unsure where/).fill(String(threshold * 100));
  const spread = page.locator('.spread');
  await spread.getByText(`${surface.points} data points`).waitFor();
  const share = (values.filter((value) => value < threshold).length / values.length) * 100;
  await spread.getByText(`: ${share < 9.95 ? share.toFixed(1) : Math.round(share)} % of the unit`).waitFor();

  const areas = async () => {
    const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as {
      features: { properties: { unit: string; area_ha: number; data_points: number } }[];
    };
    return features.map(({ properties }) => properties).filter(({ unit }) => unit.startsWith('North'));
  };
  const [whole] = await areas();
  expect(await proposedPixels(page)).toBe(0);
  for (const kind of ['elevation', 'survival']) {
    await spread.getByRole('button', { name: `Split by ${kind}` }).click();
    const accept = page.getByRole('button', { name: /^Accept \d units$/ });
    const count = Number(/\d/.exec(await accept.innerText())![0]);
    expect(count).toBeGreaterThan(1);
    await expect.poll(() => proposedPixels(page)).toBeGreaterThan(50);
    await accept.click();
    await expect.poll(() => proposedPixels(page)).toBe(0);
    await page.getByText(`${count + 1} of ${2 * (count + 1)} options`).waitFor();
    const parts = await areas();
    expect(parts).toHaveLength(count);
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((total, part) => total + of(part), 0);
    // A long edge is another geodesic than its pieces.
    expect(sum(({ area_ha }) => area_ha) / whole!.area_ha).toBeCloseTo(1, 4);
    expect(sum(({ data_points }) => data_points)).toBe(whole!.data_points);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 of 4 options').waitFor();
    await page.locator('table.plan').getByRole('button', { name: 'North' }).click();
  }
});

test('a proposal to split a unit goes when another climate or year is chosen', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North']));
  await page.getByLabel('Douglas-fir only').check();
  await page.locator('table.plan').getByRole('button', { name: 'North' }).click();
  const proposed = page.getByText('The proposed parts have dashed lines on the map.');
  for (const change of [() => setWarming(page, '2'), () => page.getByLabel('3 years').check()]) {
    await page.getByRole('button', { name: 'Split by survival' }).click();
    await proposed.waitFor();
    await change();
    await proposed.waitFor({ state: 'detached' });
  }
});

/** How many pixels of the map have the colour of proposed parts of a unit. */
const proposedPixels = async (page: Page) =>
  pixelsOf(page, await page.getByTestId('map').screenshot(), [0xc2, 0x41, 0x0c]);
