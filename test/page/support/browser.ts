import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../../support/chromium.js';
import type { TestService } from '../../support/service.js';

/** Starts Chromium, which draws the map in software. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // No sandbox: it needs rights that containers do not have.
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'],
  });
}

/** A page that keeps what goes wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, violations of the content security policy, and requests to other hosts. */
  readonly faults: string[];
}

/** Opens a page in a session of its own. */
export async function watchedPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') faults.push(`asked ${hostname}`);
  });
  return { page, context, faults };
}

/** The link of the first start, with more choices. */
export const linkOf = ({ apiUrl, key }: TestService, choices: Record<string, string> = {}) =>
  `${apiUrl}/#${new URLSearchParams({ key, ...choices })}`;

/** Waits until the map shows the answer to its last question. */
export async function mapReady(page: Page): Promise<void> {
  await page.locator('.map-area[data-loading="false"] .legend[aria-busy="false"]').waitFor();
}
