import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { linkOf, openPage, serviceAndBrowser, test, watchedPage } from './support/browser.js';
import { mapReady } from './support/launch-browser.js';
import { collection, drop } from './support/units.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shared = await serviceAndBrowser();
const PHONE = { width: 390, height: 844 };

/** The findings of axe in a page, a line each, once nothing is dimmed because it is loaded again. */
async function violations(page: Page): Promise<string[]> {
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const found = (await axe.run()).violations;
    return found.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
    );
  });
}

test.each(['light', 'dark'] as const)('axe finds nothing in any panel in %s mode', async (colorScheme) => {
  // Only axe needs the policy off; every other test has it.
  const { page } = await watchedPage(shared.browser, { colorScheme, bypassCSP: true });
  await page.goto(shared.service.apiUrl);
  await page.getByLabel('API key').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(linkOf(shared.service, { site: '44.12,-122.03' }));
  await page.locator('.ranking').waitFor();
  await mapReady(page);
  expect(await violations(page)).toEqual([]);
  for (const name of ['Units', 'About the figures']) {
    await page.getByRole('tab', { name }).click();
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await violations(page)).toEqual([]);
  }
  await page.getByRole('tab', { name: 'Units' }).click();
  await drop(page, 'units.geojson', collection(['North slope']));
  await page.getByLabel('Change a unit').selectOption('North slope');
  await page.getByRole('button', { name: 'Edit corners' }).click();
  await page.getByRole('button', { name: 'Corner 1 of 4', exact: true }).waitFor();
  await drop(page, 'points.csv', 'plot,latitude,longitude\nfirst,44.12,-122.03\nsea,44,-130\n');
  await page.getByRole('button', { name: 'Score the points' }).click();
  await page.getByRole('button', { name: 'Point 1: first' }).click();
  await page.getByLabel(/^Hand planting, per/).fill('1.2');
  await page.getByLabel(/^Drone seeding, per/).fill('0.6');
  await page.getByLabel(/^Living trees wanted/).fill('500');
  await page.getByLabel('My choice').check();
  await page.locator('table.order').first().waitFor();
  await page.getByRole('button', { name: 'Split by elevation' }).click();
  await page.getByRole('button', { name: /^Accept/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.locator('table.side-by-side').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize(PHONE);
  expect(await violations(page)).toEqual([]);
});

test('everything can be reached and done with the keyboard alone', async () => {
  const { page } = await watchedPage(shared.browser);
  await page.goto(shared.service.apiUrl);
  await page.getByLabel('API key').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.insertText(shared.service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Site' }).waitFor();
  await page.getByRole('option', { name: 'Douglas-fir (PSME)' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Skip the map');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('panel');
  await page.keyboard.press('Tab');
  await page.keyboard.type('44.12, -122.03');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Douglas-fir, alive after 5 years: hand planting ').waitFor();
  await page.getByRole('tab', { name: 'Site' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-units');
});

test('from 1280 pixels on the header is one row, and no other climate moves it', async () => {
  const { page } = await openPage(shared, {}, { viewport: { width: 1280, height: 800 } });
  await mapReady(page);
  const boxes = () =>
    page
      .locator('.controls > h1, .options > *')
      .evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect()).map(({ left, bottom }) => [left, bottom]),
      );
  const before = await boxes();
  const bottoms = before.map(([, bottom]) => bottom!);
  expect(Math.max(...bottoms.slice(1)) - Math.min(...bottoms.slice(1))).toBeLessThan(2);
  await page.locator('.climate summary').click();
  await page.getByLabel('2080s, high').check();
  await expect.poll(() => page.url()).toContain('warming=4');
  await page.getByText('Third Oregon Climate Assessment').waitFor();
  await page.keyboard.press('Escape');
  expect(await boxes()).toEqual(before);
  for (const width of [820, 1024, 1280]) {
    await page.setViewportSize({ width, height: 600 });
    for (const menu of ['.climate', '.practice']) {
      await page.locator(`${menu} summary`).click();
      const button = (await page.locator(`${menu} summary`).boundingBox())!;
      const place = async () => {
        const { x, y, width, height } = (await page.locator(`${menu} .menu-content`).boundingBox())!;
        return [x > 0, y + height < 600, x < button.x + button.width, x + width > button.x];
      };
      await expect.poll(place).toEqual([true, true, true, true]); // in the page, at its button
      await page.keyboard.press('Escape');
    }
  }
  await page.locator('.practice summary').click();
  await page.getByRole('tab', { name: 'Site' }).focus(); // which the menu would cover
  expect(await page.locator('.practice').getAttribute('open')).toBe(null);
  await page.emulateMedia({ forcedColors: 'active' }); // what is chosen can still be told
  const colour = (of: string) =>
    page.locator(`.choice >> nth=0 >> ${of}`).evaluate((each) => getComputedStyle(each).color);
  expect(await colour('input:checked + span')).not.toBe(await colour('input:not(:checked) + span'));
  // The keyboard moves the map, and Enter chooses its centre.
  await page.getByTestId('map').locator('canvas').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Site', selected: true }).waitFor();
  await expect.poll(() => page.url()).toContain('site=');
});

test('on a phone nothing is wider than the screen', async () => {
  const { page } = await watchedPage(shared.browser, { viewport: PHONE, hasTouch: true });
  await page.route('**/*.pmtiles', () => undefined); // a slow network: the map is never loaded whole
  await page.goto(linkOf(shared.service, { site: '44.12,-122.03' }));
  await page.getByTestId('tile-manual').waitFor();
  await page.getByRole('tab', { name: 'Units' }).click();
  await drop(page, 'units.geojson', collection(['North slope']));
  await page.getByLabel(/^Living trees wanted/).fill('500');
  await page.locator('table.order').first().waitFor();
  await page.getByLabel('Reserve, %').fill('-1');
  const top = async (label: string) => (await page.getByLabel(label).boundingBox())!.y;
  expect(await top('Reserve, %')).toBe(await top('Living trees wanted')); // despite the message below one
  const tabBoxes = () =>
    page.getByRole('tab').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
  const before = await tabBoxes();
  for (const name of ['Site', 'Units', 'About the figures']) {
    await page.getByRole('tab', { name }).click();
    expect(await tabBoxes()).toEqual(before);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }
  // The sheet grows over the map and shrinks again; nothing lies over the scale bar.
  const mapHeight = async () => (await page.getByTestId('map').boundingBox())!.height;
  const half = await mapHeight();
  const scale = (await page.locator('.maplibregl-ctrl-scale').boundingBox())!;
  expect(scale.y + scale.height).toBeLessThan((await page.getByRole('tablist').boundingBox())!.y);
  const attribution = (await page.locator('.maplibregl-ctrl-attrib').boundingBox())!;
  expect(scale.x + scale.width).toBeLessThan(attribution.x);
  await page.getByRole('button', { name: 'Show more of the panel' }).tap();
  await expect.poll(mapHeight).toBe(0);
  await page.getByRole('button', { name: 'Show the map' }).tap();
  await expect.poll(mapHeight).toBeGreaterThan(half);
  // The options are one row until it is opened, and fingers have room.
  expect(await page.getByLabel('Map shows').isVisible()).toBe(false);
  await page.getByRole('button', { name: /Douglas-fir, hand, 5 years/ }).tap();
  await page.getByLabel('Map shows').waitFor();
  const fontSize = await page.getByLabel('Map shows').evaluate((field) => getComputedStyle(field).fontSize);
  expect(fontSize).toBe('16px'); // Safari on iPhones zooms in on less
  const pressed =
    '.controls :is(button, select, summary), .tabs button, .sheet-handle, .maplibregl-ctrl-group button';
  const sizes = await page
    .locator(pressed)
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
  expect(sizes.filter(({ width, height }) => width < 44 || height < 44)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 256 }); // at a zoom of 400 % all buttons can be pressed
  await page.getByRole('button', { name: /Douglas-fir, hand, 5 years/ }).tap();
  await page.getByRole('button', { name: 'Zoom out' }).tap();
  await page.locator('.legend summary').tap();
  await page.getByRole('button', { name: 'Move the map east' }).tap();
  expect((await page.locator('.legend').boundingBox())!.height).toBeGreaterThan(100);
  await page.setViewportSize({ width: 844, height: 390 }); // on its side
  await page.reload();
  await page.getByRole('tab', { name: 'Units' }).tap();
  await page.locator('.legend').waitFor();
  await page.getByRole('button', { name: 'Draw a unit' }).tap();
  await page.locator('.legend').waitFor({ state: 'hidden' }); // it would cover the buttons
  await page.setViewportSize({ width: 320, height: 256 });
  const map = (await page.getByTestId('map').boundingBox())!;
  const bar = (await page.locator('.edit-bar').boundingBox())!;
  expect(bar.y + bar.height).toBeLessThan(map.y + map.height);
});
