import type { Browser, BrowserContext, Page } from 'playwright-core';
import { test as anyTest, expect, onTestFinished } from 'vitest';
import { HAS_CHROMIUM } from '../../support/chromium.js';
import { sharedService, type TestService } from '../../support/service.js';
import { launchBrowser } from './launch-browser.js';

/** The tests of pages, which need Chromium. */
export const test = anyTest.skipIf(!HAS_CHROMIUM);

/** Arguments of a browser without WebGL, where all works but the map, which takes most of the time of a test. */
export const WITHOUT_MAP = ['--disable-3d-apis'];

const browsers = new Map<string, Promise<Browser>>();

/**
 * The browser with these arguments that the test files of a process share, since each start takes seconds. Playwright
 * closes it at the end of the process.
 * @param more arguments of the browser
 */
export function sharedBrowser(more: readonly string[] = []): Promise<Browser> {
  const key = String(more);
  const browser = browsers.get(key) ?? launchBrowser(more);
  browsers.set(key, browser);
  return browser;
}

/** What the tests of pages share. */
export interface Shared {
  readonly service: TestService;
  readonly browser: Browser;
}

/** A shared service and a shared browser; nothing is started without Chromium. @param more arguments of the browser */
export async function serviceAndBrowser(more: readonly string[] = []): Promise<Shared> {
  if (!HAS_CHROMIUM) return {} as Shared;
  const starts = [sharedService({ REQUEST_TIMEOUT_MS: '120000' }), sharedBrowser(more)] as const;
  const [service, browser] = await Promise.all(starts);
  return { service, browser };
}

/** A page and its errors. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, violations of the content security policy, and requests to other hosts. */
  readonly faults: string[];
}

/** The map is drawn in software: a smaller one that does not glide saves a quarter of the CPU. */
const SMALL_AND_STILL = {
  viewport: { width: 1200, height: 700 },
  reducedMotion: 'reduce',
  locale: 'en-GB', // metric units
} as const;

/** Opens a page in a session of its own, which is closed after the test. An error in it fails the test. */
export async function watchedPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...SMALL_AND_STILL, ...options });
  context.setDefaultTimeout(100_000); // waits end by events; this only bounds them
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
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  return { page, context, faults };
}

/** Opens the page by the link of the first start, with more choices. */
export async function openPage(
  { service, browser }: Shared,
  choices: Record<string, string> = {},
  options: Parameters<typeof watchedPage>[1] = {},
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(linkOf(service, choices));
  return watched;
}

/** The link of the first start, with more choices. */
export const linkOf = ({ apiUrl, key }: TestService, choices: Record<string, string> = {}) =>
  `${apiUrl}/#${new URLSearchParams({ key, ...choices })}`;
