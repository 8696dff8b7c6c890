import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Ranking } from '../../web/src/api/types.js';
import { openPage, serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { launchBrowser, setWarming } from './support/launch-browser.js';
import { survivalAt } from './support/survival.js';

const SITE = { latitude: 44.12, longitude: -122.03, species_code: 'PSME' };
const shared = await serviceAndBrowser(WITHOUT_MAP);

/** The survival after five years by the API. */
const survival = (planting_method: string, options: object = {}) =>
  survivalAt(shared.service, { planting_method, ...options });

/** Waits until the page shows a survival. */
async function shown(page: Page, method: string, value: number): Promise<void> {
  await page.locator(`[data-testid="tile-${method}"] [data-value="${value}"]`).waitFor();
}

test('own elevation, measured values and a scenario change the numbers as in the API', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  await shown(page, 'manual', await survival('manual'));
  await page.getByLabel('Elevation, m').fill('1100');
  await shown(page, 'manual', await survival('manual', { elevation_m: 1100 }));
  await page.getByText('Measured conditions').click();
  await page.getByLabel('vapor pressure deficit, hPa').fill('14.5');
  const own = { elevation_m: 1100, conditions: { vpd_max: 14.5 } };
  await shown(page, 'manual', await survival('manual', own));
  await setWarming(page, '2');
  await shown(page, 'drone_seeded', await survival('drone_seeded', { ...own, scenario: { warming_c: 2 } }));
  await page.reload();
  await shown(page, 'drone_seeded', await survival('drone_seeded', { ...own, scenario: { warming_c: 2 } }));
  await page.getByLabel('Elevation, m').fill('9000');
  await page.getByText('From -10.00 to 4,400.00.').waitFor();
  await page.getByRole('button', { name: "Use the grid's values" }).click();
  // At 1 the elevation is refused as that of another place; at 1 the precipitation is out of its limits.
  await page.getByLabel('Elevation, m').pressSequentially('1100', { delay: 300 });
  expect(await page.getByLabel('Elevation, m').inputValue()).toBe('1100');
  await page.getByText('Measured conditions').click();
  const precipitation = page.getByLabel(/precipitation.*, mm/i).first();
  await precipitation.pressSequentially('1500');
  expect(await precipitation.inputValue()).toBe('1500');
  await precipitation.fill('');
  await precipitation.pressSequentially('1600');
  expect(await precipitation.inputValue()).toBe('1600');
});

test('the contributions add up from the average site to the answer', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  await page.locator('.waterfall').waitFor();
  const amounts = await page.locator('.waterfall .amount').allTextContents();
  const numbers = amounts.map((text) => Number(text.replace('−', '-').replaceAll(/[%+± ]/g, '')));
  const [baseline, answer] = [numbers.shift()!, numbers.pop()!];
  const sum = numbers.reduce((total, each) => total + each, baseline);
  // Eleven amounts are rounded to a tenth of a point, two to a point.
  expect(Math.abs(sum - answer)).toBeLessThan(1 + 11 * 0.05);
});

test('the ranking lists the native species as the API does, with their intervals drawn, and a click shows that species', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  const body = { latitude: 44.12, longitude: -122.03, horizons: [5], include: ['intervals'] };
  const response = await shared.service.post('/v1/predict/rank', body);
  const { ranking } = (await response.json()) as Ranking;
  const names = page.locator('.ranking tbody th');
  await names.first().waitFor();
  const best = ranking.slice(0, 8).map(({ species_common_name }) => species_common_name);
  expect(await names.allTextContents()).toEqual(best);
  const drawn = await page.locator('.whisker').evaluateAll((each) =>
    each.map((svg) => {
      const { x, width } = svg.querySelector('path')!.getBBox();
      const scale = svg.querySelector('line')!.getBBox();
      return [(x - scale.x) / scale.width, (x + width - scale.x) / scale.width];
    }),
  );
  expect(drawn).toHaveLength(8);
  for (const [index, [low, high]] of drawn.entries()) {
    const interval = ranking[index]!.predictions[0]!.interval!;
    expect(low).toBeCloseTo(interval.low, 3);
    expect(high).toBeCloseTo(interval.high, 3);
  }
  await names.nth(1).getByRole('button').click();
  await expect.poll(() => page.url()).toContain(`species=${ranking[1]!.species_code}`);
});

test('a place without data gets the message of the API, and a button shows the numbers of the nearest point with data', async () => {
  const field = { latitude: 44.48, longitude: -123.2 }; // a field of the Willamette Valley
  const response = await shared.service.post('/v1/predict/compare', { ...SITE, ...field });
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details: { nearest: { latitude: number; longitude: number } } };
  };
  expect(error.code).toBe('no_nearby_data');
  const { latitude, longitude } = error.details.nearest;
  const { page } = await openPage(shared, { site: `${field.latitude},${field.longitude}` });
  await page.locator('#panel').getByText(error.message).waitFor();
  await page.getByRole('button', { name: `Show the nearest data point: ${latitude}, ${longitude}` }).click();
  await shown(page, 'manual', await survival('manual', { latitude, longitude }));
});

test('an elevation is shown in both units; one that may be in feet can be taken so', async () => {
  const { site } = (await (
    await shared.service.post('/v1/predict/compare', { ...SITE, include: ['site'] })
  ).json()) as { site: { matched_elevation_m: number } };
  const matchedM = site.matched_elevation_m;
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  await page.getByTestId('tile-manual').waitFor();
  const elevation = page.getByLabel('Elevation, m');
  await elevation.fill('705');
  await page.getByText('705 m = 2,313 ft').waitFor(); // 705 / 0.3048
  const question = page.getByText('Is the number in feet?');
  await elevation.fill(String(matchedM + 149));
  await shown(page, 'manual', await survival('manual', { elevation_m: matchedM + 149 }));
  expect(await question.count()).toBe(0);
  await elevation.fill(String(matchedM - 300));
  await page.getByText('below the data point').waitFor();
  expect(await question.count()).toBe(0); // in feet it would be lower still
  const feet = Math.round(matchedM / 0.3048);
  await elevation.fill(String(feet));
  await question.waitFor();
  await page.getByRole('button', { name: /^Use .* ft = .* m$/ }).click();
  const metres = Math.round(feet * 0.3048);
  expect(await elevation.inputValue()).toBe(String(metres));
  await shown(page, 'manual', await survival('manual', { elevation_m: metres }));
  expect(await question.count()).toBe(0);
});

test('what is copied works as it is: curl and the link', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page } = await openPage(shared, { site: '44.12,-122.03' }, { permissions });
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied: curl.').waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).not.toContain(shared.service.key);
  // In the background: this process answers.
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    env: { ...process.env, NURSELOG_API_KEY: shared.service.key },
  });
  const [, , predicted] = JSON.parse(stdout).comparison.manual.predictions;
  expect(predicted.survival_probability).toBe(await survival('manual'));
});

test('copying works over plain HTTP from another machine, without a clipboard', async () => {
  const browser = await launchBrowser(['--host-resolver-rules=MAP planner.test 127.0.0.1']);
  onTestFinished(() => browser.close());
  const { port } = new URL(shared.service.apiUrl);
  const service = { ...shared.service, apiUrl: `http://planner.test:${port}` };
  const { page, faults } = await openPage({ service, browser }, { site: '44.12,-122.03' });
  const button = page.getByRole('button', { name: 'Copy link' });
  await button.click();
  await page.getByText('Copied: link.').waitFor();
  expect(await button.evaluate((each) => each === document.activeElement)).toBe(true);
  const link = page.url();
  await page.locator('#place').fill('');
  await page.locator('#place').press('Control+v');
  expect(await page.locator('#place').inputValue()).toBe(link);
  expect(faults.splice(0).filter((fault) => fault !== 'asked planner.test')).toEqual([]);
});

test('figures of earlier choices are not printed while those of new ones are awaited', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' });
  await page.locator('.ranking').waitFor();
  const print = page.getByRole('button', { name: 'Print' });
  await expect.poll(() => print.isEnabled()).toBe(true);
  await page.route('**/v1/predict/rank', () => undefined); // it waits
  await page.getByLabel('1 year').check();
  await expect.poll(() => print.isDisabled()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.ranking').isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  await page.unroute('**/v1/predict/rank');
  await page.getByLabel('3 years').check();
  await expect.poll(() => print.isEnabled()).toBe(true);
  await page.route('**/v1/predict/compare', () => undefined); // it waits
  await page.locator('.controls select').first().selectOption('PISI');
  for (const name of ['Copy link', 'Copy as curl', 'Copy as Python', 'Print'])
    await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByTestId('tile-manual').isVisible()).toBe(false);
});

test('with a site shown the page is as large as the window, and no panel is wider', async () => {
  const sizeIn = async (viewport: { width: number; height: number }) => {
    const { page, context } = await openPage(shared, { site: '44.12,-122.03' }, { viewport });
    await page.locator('.ranking').waitFor();
    const size = await page.evaluate(() => ({
      width: Math.max(...[...document.querySelectorAll('html, #panel')].map((each) => each.scrollWidth)),
      height: document.documentElement.scrollHeight,
    }));
    await context.close();
    return size;
  };
  expect(await sizeIn({ width: 1280, height: 720 })).toEqual({ width: 1280, height: 720 });
  expect(await sizeIn({ width: 320, height: 568 })).toEqual({ width: 320, height: 568 });
  expect(await sizeIn({ width: 320, height: 256 })).toEqual({ width: 320, height: 256 });
});

test('a browser of US English shows and takes feet, inches and degrees Fahrenheit, the switch changes them, and is kept', async () => {
  const { page } = await openPage(shared, { site: '44.12,-122.03' }, { locale: 'en-US' });
  await page.getByLabel('Elevation, ft').fill('14436');
  await page.getByText('From -32.80 to 14,435.69.').waitFor(); // of -32.808 and 14,435.696
  await page.getByLabel('Elevation, ft').fill('2313');
  await page.getByText('2,313 ft = 705 m').waitFor();
  await shown(page, 'manual', await survival('manual', { elevation_m: 705.0024 }));
  await page.getByText('Measured conditions').click();
  await page.getByLabel('dew point temperature, °F').fill('41');
  const own = { elevation_m: 705.0024, conditions: { dew_point: 5 } };
  await shown(page, 'manual', await survival('manual', own));
  const inches = page.getByLabel(/precipitation.*, in$/);
  await inches.first().waitFor();
  await page.getByRole('button', { name: 'US units' }).click();
  expect(await page.getByLabel('Elevation, m').inputValue()).toBe('705.0024');
  expect(await page.getByLabel('dew point temperature, °C').inputValue()).toBe('5');
  await page.reload();
  await page.getByLabel('Elevation, m').waitFor();
});
