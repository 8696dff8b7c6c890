import { expect } from 'vitest';
import { readCsv } from '../http/support/tables.js';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { survivalAt } from './support/survival.js';
import { collection, drop, openUnits, saved } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

test('plans and rankings take a named or any set of species; a site shows it in columns', async () => {
  const { page } = await openUnits(shared, { site: '44.12,-122.03' });
  await drop(page, 'units.geojson', collection(['North', 'South']));
  await page.getByLabel('Timber of the westside').check();
  await page.getByText('Douglas-fir, western hemlock, western redcedar', { exact: false }).first().waitFor();
  await page.getByLabel('My choice').check();
  await page.getByRole('checkbox', { name: 'ponderosa pine' }).check();
  await page.getByLabel('Native species only').uncheck();
  const codes = async () => {
    const rows = readCsv(await saved(page, 'Export CSV'));
    return [...new Set(rows.map(({ species_code }) => species_code))].sort();
  };
  await page.getByText('2 of 8 options, highest survival first within a unit', { exact: true }).waitFor();
  expect(await codes()).toEqual(['PIPO', 'PSME']);
  await page.getByRole('tab', { name: 'Site' }).click();
  const table = page.locator('table.side-by-side');
  await expect.poll(() => table.locator('tbody th').count()).toBe(2);
  const asked = { species_code: 'PIPO', planting_method: 'drone_seeded' };
  const survival = await survivalAt(shared.service, asked);
  const cell = table.locator('tr', { hasText: 'ponderosa pine' }).locator('td').nth(1);
  expect(await cell.innerText()).toContain(`${Math.round(survival * 100)}\u00a0%`);
});

test('species of a project that the service lacks are named, and the others are planned', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North']));
  const project = JSON.parse(await saved(page, 'Save project'));
  const planned = page.locator('table.plan').getByText('North');
  for (const [codes, isPlanned] of [
    [['XXXX', 'PSME'], true],
    [['YYYY'], false],
  ] as const) {
    project.nurselog.settings.species = codes;
    await drop(page, 'project.geojson', JSON.stringify(project));
    await page.getByText(`settings.species=${codes[0]}`).waitFor();
    await planned.waitFor({ state: isPlanned ? 'visible' : 'detached' });
    expect(await page.getByLabel('My choice').isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Douglas-fir' }).isChecked()).toBe(isPlanned);
    expect(await page.getByText('Choose at least one species.').count()).toBe(isPlanned ? 0 : 1);
  }
});
