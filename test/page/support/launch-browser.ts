import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM, HEADLESS_CHROMIUM } from '../../support/chromium.js';

// No sandbox: it needs rights that containers do not have. The software GPU draws only the map: pages take longer on it.
const ARGUMENTS =
  '--use-angle=swiftshader --enable-unsafe-swiftshader --disable-gpu-compositing --no-sandbox'.split(' ');

/** Starts Chromium, which draws the map in software. @param more arguments of its command line */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: HEADLESS_CHROMIUM, args: [...ARGUMENTS, ...more] });
}

/** Starts Chromium with a profile that blocks site data, as its setting "don't allow sites to save data" does. */
export function launchWithoutSiteData(profile: string): Promise<BrowserContext> {
  mkdirSync(path.join(profile, 'Default'), { recursive: true });
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(path.join(profile, 'Default/Preferences'), JSON.stringify(preferences));
  return chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: ARGUMENTS });
}

/** Waits until the map shows the answer to its last question. */
export async function mapReady(page: Page): Promise<void> {
  await page.locator('.map-area[data-loading="false"] .legend[aria-busy="false"]').waitFor();
}

/** The middle of the map, in pixels of the page. */
export async function middleOfMap(page: Page): Promise<[number, number]> {
  const { x, y, width, height } = (await page.getByTestId('map').boundingBox())!;
  return [x + width / 2, y + height / 2];
}

/** Presses three corners around the middle of the map, which is in drawing. */
export async function pressTriangle(
  page: Page,
  press: (x: number, y: number) => Promise<void>,
): Promise<void> {
  const [x, y] = await middleOfMap(page);
  for (const [across, down] of [
    [-80, -60],
    [80, -60],
    [60, 70],
  ] as const)
    await press(x + across, y + down);
  await page.getByText('(3 so far)').waitFor();
}

/** Opens the menu of climates and moves its slider, in degrees Celsius; then closes it. */
export async function setWarming(page: Page, degrees: string): Promise<void> {
  await page.locator('.climate summary').click();
  await page.getByLabel('Warming, °C').fill(degrees);
  await page.locator('.climate summary').click();
}
