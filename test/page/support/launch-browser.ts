import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../../support/chromium.js';

/** Starts Chromium, which draws the map in software. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // No sandbox: it needs rights that containers do not have.
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'],
  });
}

/** Waits until the map shows the answer to its last question. */
export async function mapReady(page: Page): Promise<void> {
  await page.locator('.map-area[data-loading="false"] .legend[aria-busy="false"]').waitFor();
}
