import { expect } from 'vitest';
import { browserTest, serviceAndBrowser } from './support/browser.js';
import { collection, drop, openUnits, saved } from './support/units.js';

const shared = serviceAndBrowser();

browserTest('a change of the key keeps the file of points and its answered rows', async () => {
  const { page, context, faults } = await openUnits(shared);
  await drop(page, 'points.csv', 'plot,latitude,longitude\nfirst,44.12,-122.03\nsea,44,-130\n');
  await page.getByRole('button', { name: 'Score the points' }).click();
  await page.getByText('2 of 2 rows answered').waitFor();
  await page.getByRole('tab', { name: 'About the figures' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByLabel('API key').fill(shared.service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  expect(await page.getByText('2 of 2 rows answered').count()).toBe(1);
  expect((await saved(page, 'Save 2 rows')).trim().split('\r\n')).toHaveLength(3);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('heading', { name: '2 points' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await context.close();
});

browserTest('a change of the panel keeps what the plan was narrowed to and its order', async () => {
  const { page, context, faults } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await page.getByLabel('Douglas-fir only').check();
  await page.getByLabel('Native species only').uncheck();
  await page.getByLabel('Best option of each unit only').uncheck();
  await page.getByLabel('Filter').fill('south');
  await page.locator('table.plan').getByRole('button', { name: 'Alive' }).click();
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.locator('table.plan').waitFor();
  expect(await page.getByLabel('Douglas-fir only').isChecked()).toBe(true);
  expect(await page.getByLabel('Native species only').isChecked()).toBe(false);
  expect(await page.getByLabel('Best option of each unit only').isChecked()).toBe(false);
  expect(await page.getByLabel('Filter').inputValue()).toBe('south');
  expect(await page.locator('table.plan th[aria-sort="ascending"]').innerText()).toContain('Alive');
  expect(faults).toEqual([]);
  await context.close();
});
