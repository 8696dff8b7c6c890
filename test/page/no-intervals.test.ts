import { expect, onTestFinished } from 'vitest';
import { ProjectCopy } from '../../testing/project-copy.js';
import { readCsv } from '../http/support/tables.js';
import { removeIntervalModels } from '../prediction/support/interval-models.js';
import { startTestService } from '../support/service.js';
import { sharedBrowser, test } from './support/browser.js';
import { mapReady } from './support/launch-browser.js';
import { collection, drop, openUnits, saved, score } from './support/units.js';

test('by models without intervals points are scored; no layer of them, no plan is asked', async () => {
  const copy = new ProjectCopy();
  removeIntervalModels(copy);
  const [service, browser] = await Promise.all([
    startTestService({ MODEL_DIR: copy.modelDir }),
    sharedBrowser(),
  ]);
  onTestFinished(() => service.stop());
  copy.remove();
  const { page, faults } = await openUnits({ service, browser }, { layer: 'width' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await mapReady(page);
  await page.locator('.legend').getByText('Hand planting: survival after 5 years').waitFor();
  const layers = page.getByLabel('Map shows');
  expect(await layers.inputValue()).toBe('survival');
  const names = ['Survival', 'Hand against drone', 'Best native species'];
  expect(await layers.locator('option').allTextContents()).toEqual(names);

  await drop(page, 'points.csv', 'latitude,longitude\n44.12,-122.03\n');
  await score(page, '1 of 1 rows answered; mean survival');
  const [row] = readCsv(await saved(page, 'Save 1 row'));
  expect(Number(row!.survival_5)).toBeGreaterThan(0);
  expect(row).not.toHaveProperty('low_5');

  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await page.getByText('A plan needs intervals, and the models of this service have none.').waitFor();
  expect(JSON.parse(await saved(page, 'Export GeoJSON')).features).toHaveLength(2);
  const units = readCsv(await saved(page, 'Export CSV'));
  expect(units.map(({ error }) => error)).toEqual(['Not planned yet.', 'Not planned yet.']);
  expect(asked).not.toContain('/v1/plan');
  await page.pdf(); // which draws the map
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('img', { name: 'The map' }).isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });

  await page.getByLabel('Douglas-fir only').check();
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.locator('#place').fill('44.12, -122.03');
  await page.keyboard.press('Enter');
  await page.locator('table.side-by-side').waitFor();
  expect(await page.locator('#panel').innerText()).not.toContain('8 of 10');
  expect(faults).toEqual([]);
});
