import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../../support/chromium.js';

// No sandbox: it needs rights that containers do not have.
const ARGUMENTS = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'];

/** Starts Chromium, which draws the map in software. @param more arguments of its command line */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [...ARGUMENTS, ...more],
  });
}

/** Waits until the map shows the answer to its last question. */
export async function mapReady(page: Page): Promise<void> {
  await page.locator('.map-area[data-loading="false"] .legend[aria-busy="false"]').waitFor();
}
