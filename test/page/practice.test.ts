import { expect } from 'vitest';
import type { ServedModel } from '../../web/src/api/types.js';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { collection, drop, openUnits, score } from './support/units.js';

const shared = await serviceAndBrowser();
const withoutMap = await serviceAndBrowser(WITHOUT_MAP);

test('map, site, points and units are asked for with vegetation, overstory and seeds', async () => {
  const { page } = await openUnits(shared);
  const asked: { path: string; body: string }[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    asked.push({ path: pathname + search, body: request.postData() ?? '' });
  });
  const last = (path: string) => asked.findLast((request) => request.path.startsWith(path));
  const choose = async () => {
    await page.getByText('Practice', { exact: true }).click();
    await page.getByLabel('Vegetation control, %').fill('1');
    await page.getByLabel('Overstory cover, %').fill('0');
    await page.getByLabel('Seeds per spot').fill('3');
  };
  const practice = { vegetation_control: 1, overstory_cover: 0, seeds_per_spot: 3 };
  const query = 'vegetation_control=1&overstory_cover=0&seeds_per_spot=3';

  await choose();
  await expect.poll(() => last('/v1/surfaces/')?.path).toContain(query);
  await drop(page, 'units.geojson', collection(['North slope']));
  await expect.poll(() => JSON.parse(last('/v1/plan')?.body || '{}').conditions).toEqual(practice);
  await drop(page, 'points.csv', 'latitude,longitude,species_code,seeds_per_spot\n44.12,-122.03,NA,NA\n');
  await score(page, '1 of 1 rows answered; mean survival');
  expect(last('/v1/predict/table')?.path).toContain(query);
  expect(await page.getByText('3 viable seeds a pod').count()).toBeGreaterThan(0);
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.locator('#place').fill('44.12, -122.03');
  await page.keyboard.press('Enter');
  await expect.poll(() => JSON.parse(last('/v1/predict/compare')?.body || '{}').conditions).toEqual(practice);

  expect(new URL(page.url()).hash).toContain('practice.seeds_per_spot=3');
  await page.reload();
  expect(await page.getByLabel('Seeds per spot').inputValue()).toBe('3');
  await page.getByText('Practice', { exact: true }).click();
  await page.getByRole('button', { name: "Reset to today's climate and average practice" }).click();
  await expect.poll(() => last('/v1/surfaces/')?.path).not.toContain('vegetation_control');
  expect(new URL(page.url()).hash).not.toContain('practice');
});

test('unusable seeds say which can be used; sliders tell their value as it is shown', async () => {
  const { page } = await openUnits(withoutMap, { 'practice.vegetation_control': '0.8', warming: '2' });
  await page.getByText('Practice', { exact: true }).click();
  const seeds = page.getByLabel('Seeds per spot');
  const range = page.getByText('From 1 to 10,000.');
  await seeds.fill('0');
  await range.waitFor();
  await seeds.fill('3');
  await range.waitFor({ state: 'detached' });
  await seeds.fill('');
  await seeds.pressSequentially('7405'); // begins with the default
  expect(await seeds.inputValue()).toBe('7405');
  const shown = (label: string) => page.getByLabel(label).getAttribute('aria-valuetext');
  expect(await shown('Vegetation control, %')).toBe('80 %');
  expect(await shown('Warming, °C')).toBe('+2 °C');
});

test('what the page or the models cannot use of a link is named and left out', async () => {
  const models = { 'practice.seeds_per_spot': '0', 'measured.moss': '2' };
  const unused = { species: 'ZZZZ', year: '7', colour: 'red', ...models };
  const { page } = await openUnits(withoutMap, { ...unused, 'practice.overstory_cover': '30' });
  const note = page.getByText('cannot use these parts of the link or project: ');
  await note
    .getByText('year=7, colour=red, species=ZZZZ, practice.seeds_per_spot=0, measured.moss=2.')
    .waitFor();
  expect(await page.locator('.controls select').first().inputValue()).toBe('PSME');
  await page.waitForURL(/#(?!.*(ZZZZ|seeds|moss|colour)).*year=5.*overstory_cover=30/);
  await page.evaluate(() => location.assign('#species=douglas-fir&year=5&year=3&year=5'));
  await note.getByText('project: year=3, species=douglas-fir.').waitFor();
  await note.getByRole('button', { name: 'Close' }).click();
  await note.waitFor({ state: 'detached' });
});

test('About has the local date and the evidence on planted trees of GET /v1/model', async () => {
  // A place where the date is never that of UTC.
  const timezoneId = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14';
  const { page } = await openUnits(withoutMap, {}, { timezoneId });
  const { evidence } = (await (await shared.service.get('/v1/model')).json()) as ServedModel;
  await page.getByRole('tab', { name: 'About the figures' }).click();
  await page.getByRole('heading', { name: 'Tested on planted trees' }).waitFor();
  await page.getByText('At least 70 % inside: ').waitFor();
  const today = await page.evaluate(() => new Date().toLocaleDateString('sv-SE'));
  await page.getByText(`outcomes, read on ${today}.`).waitFor();
  await page.getByRole('heading', { name: 'Skill on held-out simulated outcomes' }).waitFor();
  await page.getByText('All plantings').click();
  const table = page.locator('details', { hasText: 'All plantings' }).locator('tbody tr');
  expect(await table.count()).toBe(evidence.length);
});
