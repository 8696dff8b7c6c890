import type { FeatureCollection, Polygon } from 'geojson';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { cornersText } from '../../web/src/state/corners.js';
import { linkOf, serviceAndBrowser, test } from './support/browser.js';
import { middleOfMap, pressTriangle } from './support/launch-browser.js';
import { pixelsOf } from './support/png.js';
import { collection, drop, openUnits, openUnitsOnMap, RING, saved } from './support/units.js';

const shared = await serviceAndBrowser();

/** The corners of the units as the page exports them, the first of each not repeated. */
async function exportedCorners(page: Page): Promise<number[][][]> {
  await page.locator('[aria-busy="false"] table.plan').waitFor();
  const { features } = JSON.parse(await saved(page, 'Export GeoJSON')) as FeatureCollection<Polygon>;
  return features.map(({ geometry }) => geometry.coordinates[0]!.slice(0, -1));
}

async function middleOf(page: Page, name: string): Promise<{ x: number; y: number }> {
  const corner = page.getByRole('button', { name, exact: true });
  await corner.hover(); // once the map has come to rest
  const { x, y, width, height } = (await corner.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

async function editFirst(page: Page): Promise<void> {
  await drop(page, 'units.geojson', collection(['North slope']));
  await page.getByLabel('Change a unit').selectOption('North slope');
  await page.getByRole('button', { name: 'Edit corners' }).click();
  await page.getByRole('button', { name: 'Corner 1 of 4', exact: true }).waitFor();
}

test('the mouse moves, adds and removes corners; each change is planned, and undone', async () => {
  const { page } = await openUnits(shared, {}, { reducedMotion: 'reduce' });
  await editFirst(page);
  const [before] = await exportedCorners(page);
  const asked: string[][] = [];
  page.on('request', (request) => {
    if (!request.url().endsWith('/v1/plan')) return;
    const { units } = request.postDataJSON() as { units: FeatureCollection };
    asked.push(units.features.map(({ id }) => String(id)));
  });
  await drop(page, 'units.geojson', collection(['Another']));
  await page.locator('table.plan').getByText('Another').waitFor();

  const { x, y } = await middleOf(page, 'Corner 3 of 4');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y - 15, { steps: 4 });
  await page.mouse.up();
  const [moved] = await exportedCorners(page);
  expect(moved!.toSpliced(2, 1)).toEqual(before!.toSpliced(2, 1));
  expect(moved![2]![0]).toBeGreaterThan(before![2]![0]!);
  expect(moved![2]![1]).toBeGreaterThan(before![2]![1]!);

  await page.getByRole('button', { name: 'Add a corner after corner 4 of 4' }).click();
  await page.getByRole('button', { name: 'Corner 5 of 5', exact: true }).waitFor();
  const [added] = await exportedCorners(page);
  expect(added!.slice(0, 4)).toEqual(moved);
  await page.getByRole('button', { name: 'Corner 1 of 5', exact: true }).click();
  await page.getByRole('button', { name: 'Remove corner' }).click();
  expect((await exportedCorners(page))[0]).toEqual(added!.slice(1));
  // Each change asked for the changed unit alone.
  expect(asked.every(({ length }) => length === 1)).toBe(true);
  expect(new Set(asked.flat()).size).toBe(2);

  for (const expected of [added, moved]) {
    await page.getByLabel('Drawing').getByRole('button', { name: 'Undo' }).click();
    expect((await exportedCorners(page))[0]).toEqual(expected);
  }
  const clip = { x: x - 245, y: y + 23, width: 20, height: 20 }; // on the edge from corner 4, once 3 is dragged
  const dark = async () => pixelsOf(page, await page.screenshot({ clip }), [0x1a, 0x1a, 0x1a]);
  await page.mouse.move(x + 20, y - 15);
  await page.mouse.down();
  await page.mouse.move(x - 60, y + 65, { steps: 4 });
  await expect.poll(dark).toBeGreaterThan(10);
  await page.keyboard.press('Escape'); // ends editing and with it the drag
  await page.mouse.up();
  await expect.poll(dark).toBe(0);
  expect((await exportedCorners(page))[0]).toEqual(moved);
  await page.getByRole('button', { name: 'Edit corners' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.locator('.handle').count()).toBe(0);
  await page.locator('#edit:focus').waitFor();
  await page.getByRole('button', { name: 'Remove this unit' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('unit');
  await expect.poll(() => page.locator('table.plan').getByText('North slope').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove the unit' }).click();
  await page.locator('table.plan').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+Z'); // with Caps Lock
  expect((await exportedCorners(page))[0]).toEqual(moved);
});

test('units are drawn and edited by keyboard alone, even with corners of another', async () => {
  const { page } = await openUnitsOnMap(shared, { map: '9/46/-121' });
  await page.getByRole('button', { name: 'Draw a unit' }).focus();
  await page.keyboard.press('Enter');
  const list = page.getByLabel('Corners: latitude, longitude, one per line');
  await list.focus();
  await page.keyboard.type('44.10, -122.05\n44.14, -122.05\n44.14, nowhere\n');
  await page.keyboard.press('Tab');
  await page.getByText('Line 3 has no latitude and longitude').waitFor();
  await list.fill('44.10, -122.05\n44.14, -122.05\n44.14, -122.00');
  await page.keyboard.press('Tab');
  await page.locator('button:focus', { hasText: 'Finish the unit' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/map=[\d.]+\/44\.1/); // the map shows it
  await page.keyboard.type('=Ridge'); // in place of the name that it got
  const [drawn] = await exportedCorners(page);
  expect(drawn).toEqual(RING.slice(0, 3));
  await page.getByRole('button', { name: 'Edit corners' }).focus();
  await page.keyboard.press('Space');
  await list.fill('44.10, -122.05\n44.14, -122.05\n44.14, -122.00\n44.10, -122.01');
  await page.keyboard.press('Tab');
  await expect.poll(async () => (await exportedCorners(page))[0]).toHaveLength(4);
  await page.getByRole('button', { name: 'Corner 4 of 4', exact: true }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowRight');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  expect(await focused()).toBe('Corner 4 of 4');
  await expect.poll(async () => (await exportedCorners(page))[0]![3]![0]).toBeGreaterThan(-122.01);
  expect((await exportedCorners(page))[0]![3]![1]).toBeCloseTo(44.1, 4);
  await page.getByRole('button', { name: 'Corner 4 of 4', exact: true }).focus();
  await page.keyboard.press('Delete');
  expect(await focused()).toBe('Corner 3 of 3');
  await expect.poll(async () => (await exportedCorners(page))[0]).toEqual(drawn);
  await page.getByRole('button', { name: 'Corner 3 of 3', exact: true }).focus();
  await page.keyboard.press('Delete'); // a triangle keeps its corners
  expect(await page.getByRole('button', { name: 'Remove corner' }).isDisabled()).toBe(true);
  await page.keyboard.press('Control+z');
  await page.getByRole('button', { name: 'Corner 4 of 4', exact: true }).waitFor();
  await page.getByRole('status').getByText('1 unit planned.').waitFor();
  await page.locator('table.plan').getByText('=Ridge').waitFor();
  expect(await saved(page, 'Export GeoJSON')).not.toContain('Drawn 1');
  await list.fill('44.10, nowhere');
  await page.keyboard.press('Tab');
  await page.getByText('Line 1 has no latitude and longitude').waitFor();
  await page.keyboard.press('Control+z');
  expect(cornersText(await exportedCorners(page))).toBe(await list.inputValue());
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  expect(await page.getByRole('button', { name: 'Edit corners' }).count()).toBe(0); // one list at a time
  await list.fill(cornersText(await exportedCorners(page)));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Copy');
  await page.keyboard.press('Tab');
  const names = page.getByLabel('Change a unit').locator('option');
  expect(await names.allInnerTexts()).toEqual(['None: show all on the map', '=Ridge', 'Copy']);
});

test('neither Enter nor a double click throws away corners that are too few for a unit', async () => {
  const { page } = await openUnitsOnMap(shared, { map: '11/44.12/-122.03' });
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  const [x, y] = await middleOfMap(page);
  await page.mouse.dblclick(x - 80, y - 60);
  await page.getByText('(1 so far)').waitFor();
  await page.getByText('A unit needs at least three corners.').waitFor();
  await page.mouse.click(x + 80, y - 60);
  await page.getByText('(2 so far)').waitFor();
  await page.keyboard.press('Enter');
  await page.mouse.dblclick(x + 60, y + 70);
  expect((await exportedCorners(page))[0]).toHaveLength(3);
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  await page.getByText('(0 so far)').waitFor();
  expect(await page.getByRole('button', { name: /^(Undo|Remove the unit)$/ }).count()).toBe(0);
  expect(await page.getByText('A unit needs at least three corners.').count()).toBe(0);
});

test('Ctrl+Z and Escape work while a checkbox, a radio button or a slider has the focus', async () => {
  const { page } = await openUnitsOnMap(shared);
  for (const field of [
    page.getByLabel('Native species only'),
    page.getByLabel('Hand planting', { exact: true }),
    page.getByLabel('Opacity of cells'),
  ]) {
    await drop(page, 'units.geojson', collection(['North slope', 'Ridge']));
    await page.getByLabel('Change a unit').selectOption('Ridge');
    await page.getByRole('button', { name: 'Edit corners' }).click();
    await page.locator('.edit-bar').waitFor();
    await field.focus();
    await page.keyboard.press('Escape');
    await page.locator('.edit-bar').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await page.getByLabel('Change a unit').waitFor({ state: 'detached' });
  }
  const menu = page.locator('.climate');
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  await menu.locator('summary').click();
  await page.keyboard.press('Escape'); // closes the menu alone
  await expect.poll(() => menu.getAttribute('open')).toBeNull();
  await page.getByText('(0 so far)').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.edit-bar').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#draw:focus').waitFor();
  await drop(page, 'units.geojson', collection(['North slope']));
  const filter = page.getByLabel('Filter');
  await filter.fill('slope');
  await filter.press('Control+z'); // the field's own
  await expect.poll(() => filter.inputValue()).toBe('');
  await page.getByLabel('Change a unit').waitFor();
});

test('a finger draws a unit and moves a corner on a phone', async () => {
  const { page, context } = await openUnitsOnMap(
    shared,
    { map: '11/44.12/-122.03' },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
  await page.getByRole('button', { name: 'Draw a unit' }).tap();
  const zoom = (await page.getByRole('button', { name: 'Zoom in' }).boundingBox())!;
  expect((await page.getByLabel('Drawing').boundingBox())!.x).toBeGreaterThan(zoom.x + zoom.width);
  await pressTriangle(page, (x, y) => page.touchscreen.tap(x, y));
  const [x, y] = await middleOfMap(page);
  await page.touchscreen.tap(x - 68, y - 51); // 15 pixels from the first corner
  await page.getByRole('button', { name: 'Remove the unit' }).tap();
  await page.getByRole('button', { name: 'Draw a unit' }).tap();
  await pressTriangle(page, (x, y) => page.touchscreen.tap(x, y));
  expect(await page.locator('.hover').isVisible()).toBe(false); // it would stay, over a corner
  await page.setViewportSize({ width: 360, height: 844 });
  const linesOf = (button: HTMLElement) => {
    const text = document.createRange();
    text.selectNodeContents(button);
    return text.getClientRects().length;
  };
  expect(await page.getByRole('button', { name: 'Cancel' }).evaluate(linesOf)).toBe(1);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Cancel' }).tap(); // Playwright declines the question
  await page.getByRole('button', { name: 'Finish', exact: true }).tap();
  const [before] = await exportedCorners(page);
  await page.getByRole('button', { name: 'Edit corners' }).tap();
  await page.getByRole('button', { name: 'Corner 1 of 3', exact: true }).waitFor();
  await page.locator('.edit-bar').scrollIntoViewIfNeeded();
  const from = await middleOf(page, 'Corner 1 of 3');
  const touch = await context.newCDPSession(page);
  const at = (step: number) => [{ x: from.x + 5 * step, y: from.y - 4 * step }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (let step = 1; step <= 5; step++)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(async () => (await exportedCorners(page))[0]![0]).not.toEqual(before![0]);
  const [after] = await exportedCorners(page);
  expect(after!.slice(1)).toEqual(before!.slice(1));
  await page.setViewportSize({ width: 640, height: 360 }); // the map is lower than the margins of units
  await page.goto(linkOf(shared.service, { panel: 'units', map: '9/46/-121' }));
  await page.getByLabel('Change a unit').selectOption('');
  await expect.poll(() => page.url()).toMatch(/map=[\d.]+\/44\.1/);
});
