import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { openPage, type Shared, type WatchedPage, type watchedPage } from './browser.js';
import { mapReady } from './launch-browser.js';

/** Some 4 km of forest north-east of Oakridge, Oregon; clockwise. */
export const RING: [number, number][] = [
  [-122.05, 44.1],
  [-122.05, 44.14],
  [-122.0, 44.14],
  [-122.0, 44.1],
  [-122.05, 44.1],
];

/** A page with the panel for units, in a browser of its own session. */
export async function openUnits(
  shared: Shared,
  choices: Record<string, string> = {},
  options: Parameters<typeof watchedPage>[1] = {},
): Promise<WatchedPage> {
  const link = { panel: 'units', ...choices };
  const watched = await openPage(shared, link, { acceptDownloads: true, ...options });
  await watched.page.getByRole('heading', { name: 'Planting units' }).waitFor();
  return watched;
}

/** The same, once its map shows cells. */
export async function openUnitsOnMap(...args: Parameters<typeof openUnits>): Promise<WatchedPage> {
  const watched = await openUnits(...args);
  await mapReady(watched.page);
  return watched;
}

export async function drop(page: Page, name: string, body: string | Buffer): Promise<void> {
  await page.locator('#file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(body) });
}

/** Scores the points of a file, until a text is shown. */
export async function score(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Score the points' }).click();
  await page.getByText(text).waitFor();
}

/** The names of the units in the table of the plan. */
export const planned = (page: Page) => page.locator('table.plan tbody th button').allTextContents();

/** The content of what a button saves. */
export async function saved(page: Page, button: string | RegExp): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile((await download.path())!, 'utf8');
}

/** A file of units with these names, all of the same shape. */
export const collection = (names: readonly unknown[]) => unitsWith(...names.map((name) => ({ name })));

/** A file of units with these properties, all of the same shape. */
export const unitsWith = (...each: readonly object[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: each.map((properties) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Polygon', coordinates: [RING.toReversed()] },
    })),
  });

/** All work that the browser keeps, as text. */
export const storedText = (page: Page) =>
  page.evaluate(async () => {
    const opened = indexedDB.open('nurselog');
    await new Promise((resolve) => opened.addEventListener('success', resolve));
    const all = opened.result.transaction('work').objectStore('work').getAll();
    await new Promise((resolve) => all.addEventListener('success', resolve));
    opened.result.close();
    return JSON.stringify(all.result);
  });
