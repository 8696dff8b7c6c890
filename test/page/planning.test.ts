import { readFile } from 'node:fs/promises';
import { iter } from 'but-unzip';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Plan, PlannedUnit, PlanOption } from '../../web/src/api/types.js';
import { plantingOrder } from '../../web/src/plan/planting-order.js';
import { readCsv } from '../http/support/tables.js';
import { forAllAsync } from '../support/for-all.js';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { collection, drop, openUnits, RING, saved, unitsWith } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);
const ACRE_HA = 0.40468564224;

/** Two units of the same shape, one with a name that a spreadsheet would run. */
const UNITS = unitsWith(
  { name: 'North', TPA: 300, owner: 'A&<B>', rank: 'A', error: 0, File_Error: 1, UNIT: 1, constructor: 'C' },
  { name: '=1+1', TPA: null, owner: 'B', rank: 'B' },
);

async function costs(page: Page): Promise<void> {
  await page.getByLabel(/^Hand planting, per/).fill('1.2');
  await page.getByLabel(/^Drone seeding, per/).fill('0.6');
  await page.getByText('Hand pays below').first().waitFor();
}

const percent = (share: number) => `${Math.round(share * 100)}\u00a0%`;

const sameAs = (one: PlanOption) => (other: PlanOption) =>
  other.species_code === one.species_code && other.planting_method === one.planting_method;

/** The options of the service for a unit of that shape. */
async function optionsOf(body: object) {
  const feature = { ...JSON.parse(unitsWith({})).features[0], id: 1 };
  const response = await shared.service.post('/v1/plan', {
    units: { type: 'FeatureCollection', features: [feature] },
    ...body,
  });
  const { units } = (await response.json()) as Plan;
  return units[0] as PlannedUnit;
}

test("orders are those of the API for a target per acre with a reserve, of all units or of a column, with survival in today's climate beside them, in table, report and exports", async () => {
  const { page } = await openUnits(shared, { warming: '2' }, { locale: 'en-US' });
  await drop(page, 'units.geojson', UNITS);
  await costs(page);
  await page.getByLabel('Living trees wanted per acre').fill('302.5');
  await page.getByLabel('Reserve, %').fill('20');
  await page.getByLabel('Target of each unit').selectOption('TPA');
  await page.getByLabel('Calculated from').selectOption('low');
  await page.getByLabel("Compare with today's climate").check();
  const asked = { costs: { manual: 1.2, drone_seeded: 0.6 }, basis: 'low', scenario: { warming_c: 2 } };
  const ofTarget = (perAcre: number) => optionsOf({ ...asked, target_per_ha: (perAcre * 1.2) / ACRE_HA });
  const [north, other] = await Promise.all([300, 302.5].map(ofTarget));
  const [own, common] = [north!.options[0]!.order!, other!.options[0]!.order!];
  const isBest = sameAs(north!.options[0]!);
  const today = (await optionsOf({})).options.find(isBest)!.survival.mean;
  expect(today).not.toBe(north!.options[0]!.survival.mean);
  const total = (own.total + common.total).toLocaleString('en-US');
  await page.locator('table.order').first().getByText(total).waitFor();
  const perAcre = Math.round(own.total / (north!.area_ha / ACRE_HA)).toLocaleString('en-US');
  await page.locator('table.plan').getByText(`${perAcre} per acre`).waitFor();
  const compared = [north!.options[0]!.survival.mean, today].map(percent);
  const inTable = page.locator('table.plan tbody tr').first().locator('td.amount');
  for (const [index, text] of compared.entries())
    await expect.poll(() => inTable.nth(index).innerText()).toContain(text);
  await page.locator('a[href*="sos.state.or.us"]', { hasText: '629-610-0020' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  const report = await page.locator('.report').innerText();
  const basis =
    'Ordered for living trees after 5 years: column TPA per acre, 302.5 per acre where it is blank, and a reserve of 20 %. Calculated from the low end of survival.';
  for (const text of [total, own.total.toLocaleString('en-US'), `${perAcre}\u00a0per\u00a0acre`, basis])
    expect(report).toContain(text);
  const printed = page.locator('.report tr', { hasText: 'North' }).first().locator('td.amount');
  expect((await printed.allInnerTexts()).slice(2, 4)).toEqual(compared);
  await page.emulateMedia({ media: 'screen' });

  const csv = readCsv(await saved(page, 'Export CSV'));
  const first = csv.find(({ unit, rank }) => unit === 'North' && rank === '1')!;
  const model = (await (await shared.service.get('/v1/model')).json()) as Record<string, string>;
  const expected = {
    unit: 'North',
    order_total: String(own.total),
    order_cost: String(own.cost),
    horizon_years: '5',
    warming_c: '2',
    cost_manual: '1.2',
    target_column: 'TPA',
    target_column_per: 'acre',
    order_basis: 'low',
    order_reserve_percent: '20',
    model_version: model.version,
    model_digest: model.digest,
    outcomes: model.outcomes,
    caution: model.caution,
    owner: 'A&<B>',
    TPA: '300',
    survival_today: String(today),
    file_rank: 'A', // a column of ours has this name
    file_file_error: '0', // as has one of rows without a plan, and another is named as it would be then
    File_Error: '1',
    file_UNIT: '1',
  };
  expect(first).toMatchObject(expected);
  const acres = north!.area_ha / ACRE_HA;
  expect(Number(first.order_per_acre)).toBeCloseTo(own.total / acres, 1);
  expect(new Set(csv.map(({ unit }) => unit))).toEqual(new Set(['North', "'=1+1"]));

  const { features, about } = JSON.parse(await saved(page, 'Export GeoJSON'));
  expect(Object.keys(features[0].properties)).toEqual(Object.keys(first));
  expect(features[1].properties).toMatchObject({ unit: '=1+1', order_total: common.total });
  expect(about).toMatchObject({ horizon_years: 5, caution: model.caution });

  const kml = await saved(page, 'Export KML');
  const read = await page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, 'application/xml');
    const values = [...xml.querySelectorAll('Placemark')].map((placemark) =>
      Object.fromEntries(
        [...placemark.querySelectorAll('Data')].map((data) => [data.getAttribute('name'), data.textContent]),
      ),
    );
    const corners = xml.querySelector('outerBoundaryIs coordinates')?.textContent?.split(' ').length;
    return { values, corners, errors: xml.querySelectorAll('parsererror').length };
  }, kml);
  expect(read.errors).toBe(0);
  expect(read.values[0]).toMatchObject(expected);
  expect(read.corners).toBe(RING.length);
});

/** The sheets of a workbook as rows of texts, with what says that a cell is a formula. */
async function sheetsOf(path: string) {
  const sheets: Record<string, string[][]> = {};
  let formulas = 0;
  for (const { filename, read } of iter(new Uint8Array(await readFile(path)))) {
    if (!filename.startsWith('xl/worksheets/')) continue;
    const xml = new TextDecoder().decode(await read());
    formulas += xml.match(/<f[ >]/g)?.length ?? 0;
    sheets[filename] = [...xml.matchAll(/<row r="\d+">(.*?)<\/row>/g)].map(([, row]) =>
      [...row!.matchAll(/<c\/>|<c[^>]*>(.*?)<\/c>/g)].map(([, cell]) =>
        (cell ?? '').replaceAll(/<[^>]*>/g, ''),
      ),
    );
  }
  return { sheets: Object.values(sheets), formulas };
}

test('the workbook has a plan, all options and what they are; no text is a formula', async () => {
  const { page } = await openUnits(shared, { warming: '2' });
  await drop(page, 'units.geojson', UNITS);
  await costs(page);
  await page.getByLabel('Living trees wanted per hectare').fill('500');
  await page.locator('table.order').first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export XLSX' }).click(),
  ]);
  const today = await page.evaluate(() => new Date().toLocaleDateString('en-CA'));
  expect(download.suggestedFilename()).toBe(`plan-${today}-5y-plus2C.xlsx`);
  const { sheets, formulas } = await sheetsOf((await download.path())!);
  const [plan, options, about] = sheets;
  const column = (name: string) => plan![0]!.indexOf(name);
  expect(plan!.slice(1).map((row) => row[column('unit')])).toEqual(['North', '=1+1', 'All units']);
  expect(plan!.map((row) => row[column('constructor')] ?? '')).toEqual(['constructor', 'C', '', '']);
  const totals = plan!.slice(1).map((row) => Number(row[column('order_total')]));
  expect(totals[2]).toBe(totals[0]! + totals[1]!);
  const { options: offered } = await optionsOf({ scenario: { warming_c: 2 } });
  expect(options).toHaveLength(1 + 2 * offered.length);
  expect(Object.fromEntries(about as [string, string][])).toMatchObject({
    horizon_years: '5',
    warming_c: '2',
  });
  expect(formulas).toBe(0);
});

test('a cheapest option with a low end below the threshold is said to be unsure, safest ranks by low ends, and the caption says so while units are in order', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', UNITS);
  await costs(page);
  const { options } = await optionsOf({ costs: { manual: 1.2, drone_seeded: 0.6 } });
  const [cheapest] = options;
  const safest = options.toSorted((a, b) => b.survival.low - a.survival.low)[0]!;
  expect(safest.survival.low).toBeGreaterThan(cheapest!.survival.low);
  const low = safest.survival.low * 100;
  await page.getByLabel(/^Unsure where/).fill(String(low));
  const limit = `${Number(low.toFixed(6))} %`;
  await page.getByText(`The cheapest option of 2 units has a low end below ${limit}: North, =1+1.`).waitFor();
  await page.locator('table.plan tr.unsure').first().waitFor();
  await page.getByRole('button', { name: 'Rank by the safest' }).click();
  const caption = page.locator('table.plan caption');
  await caption.getByText('safest first within a unit').waitFor();
  expect(await page.locator('table.plan tr.unsure').count()).toBe(0);
  expect(await page.getByText(/has a low end below/).count()).toBe(0);
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON'));
  expect(features[0].properties).toMatchObject({
    rank: 1,
    species_code: safest.species_code,
    planting_method: safest.planting_method,
    survival_low: safest.survival.low,
    unsure: false,
    ranked_by: 'safest',
  });
  await page.getByRole('button', { name: 'Species, method' }).click(); // units out of order
  await expect.poll(() => caption.innerText()).toMatch(/^\d+ of \d+ options$/);
});

test('a target of 0 orders nothing, a blank one is that of all, units with a wrong one or a low end of 0 are named, and the field names a limit that it takes and stays short in other units', async () => {
  const harsh = { warming: '10', precipitation: '-80', 'practice.overstory_cover': '100' };
  const { page } = await openUnits(shared, harsh, { locale: 'en-US' });
  await drop(page, 'units.geojson', unitsWith({ name: 'Zero', TPA: '0' }, { name: 'Comma', TPA: '1,200' }));
  await drop(page, 'more.geojson', unitsWith({ name: 'Blank', TPA: ' ' }, { name: 'Own', TPA: 300 }));
  await page.locator('table.plan').getByText('Own').waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByLabel('Living trees wanted per acre').fill('200');
  await page.getByLabel('Target of each unit').selectOption('TPA');
  const wrong = page.getByText('No order for 1 unit, whose TPA is not a number from 0 to 100,000: Comma.');
  await wrong.first().waitFor();
  await page.locator('table.order').first().getByText('2 units').first().waitFor();
  expect(await page.locator('.report').filter({ has: wrong }).count()).toBe(1);
  const high = (names: string) => page.getByText(`the reserve is above 40,468 per acre: ${names}.`).first();
  await page.getByLabel('Reserve, %').fill('1000');
  await drop(page, 'high.geojson', unitsWith({ name: 'High', TPA: 4000 }, { name: 'Higher', TPA: 50_000 }));
  await high('High, Higher').waitFor();
  await page.locator('table.plan').getByText('Higher').waitFor();
  expect(asked.filter((url) => url.endsWith('/v1/plan'))).toHaveLength(1); // of the new units: targets cost none
  await page.getByLabel('Reserve, %').fill('0');
  await high('Higher').waitFor();
  await page.getByLabel('Change a unit').selectOption('High');
  await page.getByRole('button', { name: 'Remove this unit' }).click();
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as {
    features: { properties: { unit: string; order_total?: number } }[];
  };
  const ordered = features.filter(({ properties }) => properties.order_total !== undefined);
  expect(ordered.map(({ properties }) => properties.unit)).toEqual(['Blank', 'Own']);
  await page.getByLabel('Douglas-fir only').check();
  await page.getByLabel('Calculated from').selectOption('low');
  const zero = 'No order for 2 units, where the low end of the best option is 0 %: Blank, Own.';
  await page.getByText(zero).first().waitFor(); // the report has it, too
  await page.locator('table.plan').getByText('Order: low end is 0 %.').first().waitFor();
  const target = page.getByLabel('Living trees wanted per');
  await target.fill('40469'); // the limit is 40,468.56
  await page.getByText('Above 0, at most 40,468.').waitFor();
  await target.fill('435');
  await page.getByRole('button', { name: 'US units' }).click();
  expect(await target.inputValue()).toBe('1074.9');
});

const decimals = (max: number, places: number) =>
  fc.integer({ min: 1, max: max * 10 ** places }).map((each) => each / 10 ** places);
const climates = fc.constantFrom({}, { scenario: { warming_c: 10, precipitation_change_percent: -80 } });
const bases = fc.constantFrom('mean', 'low');

test('the page calculates orders as POST /v1/plan does', () => {
  const agree = async (target_per_ha: number, cost: number, basis: 'mean' | 'low', climate: object) => {
    const costs = { manual: cost, drone_seeded: cost };
    const asked = { target_per_ha, basis, costs, native_only: false, ...climate };
    const { options, area_ha } = await optionsOf(asked);
    for (const { order, survival } of options) {
      const own = plantingOrder(target_per_ha, survival[basis], area_ha, cost);
      expect(own).toEqual(order && { total: order.total, cost: order.cost });
    }
  };
  return forAllAsync(30, [decimals(5000, 6), decimals(10, 3), bases, climates], agree);
});

test('a column of targets can be given up when the units that had it are gone', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', UNITS);
  const column = page.getByLabel('Target of each unit');
  await column.selectOption('TPA');
  await page.getByRole('button', { name: 'Remove all 2 units' }).click();
  await drop(page, 'more.geojson', collection(['South']));
  await page.locator('table.plan').getByText('South').waitFor();
  expect(await column.inputValue()).toBe('TPA');
  await column.selectOption('the same for all');
  await column.waitFor({ state: 'detached' });
  const { about } = JSON.parse(await saved(page, 'Export GeoJSON'));
  expect(about.target_column).toBeNull();
});
