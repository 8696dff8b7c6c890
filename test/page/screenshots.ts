import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { launchBrowser, mapReady } from './support/launch-browser.js';
import { drop } from './support/units.js';

/** Makes the pictures of the README and docs/page.md: npm run screenshots. */

const root = path.join(import.meta.dirname, '../..');
const output = path.join(root, 'docs/page');

interface Picture {
  readonly file: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly size?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark';
  prepare?(page: Page): Promise<unknown>;
}

const UNITS = JSON.stringify({
  type: 'FeatureCollection',
  features:
    'North slope,River bend,Ridge top,South bench,Old burn,Camp flat,Creek east,Creek west,Saddle,Quarry,Windy gap,Lower meadow'
      .split(',')
      .map((name, index) => ({
        type: 'Feature',
        properties: { name },
        geometry: {
          type: 'Polygon',
          coordinates: [
            ringAround(
              -122.15 + 0.06 * (index % 4),
              44.08 + 0.05 * Math.floor(index / 4),
              0.014 + 0.004 * (index % 3),
            ),
          ],
        },
      })),
});

/** An irregular polygon about a place. */
function ringAround(longitude: number, latitude: number, size: number): number[][] {
  const ring = Array.from({ length: 9 }, (_, index) => {
    const angle = (index / 9) * 2 * Math.PI;
    const reach = size * (1 + 0.25 * Math.sin(3 * index));
    return [longitude + reach * Math.cos(angle), latitude + 0.7 * reach * Math.sin(angle)];
  });
  return [...ring, ring[0]!];
}

const PICTURES: readonly Picture[] = [
  {
    file: 'site.png',
    choices: { site: '44.12,-122.03', map: '9/44.12/-122.03' },
    prepare: (page) => page.locator('.ranking').waitFor(),
  },
  {
    file: 'scenario-dark.png',
    choices: {
      layer: 'advantage',
      warming: '2',
      precipitation: '-10',
      site: '44.12,-122.03',
      map: '9.5/44.12/-122.03',
    },
    colorScheme: 'dark',
    prepare: (page) => page.locator('.ranking').waitFor(),
  },
  {
    file: 'best-species.png',
    choices: { layer: 'best', panel: 'about', map: '8.5/44.12/-122.03' },
    size: { width: 1280, height: 800 },
  },
  {
    file: 'units.png',
    choices: { panel: 'units', warming: '2', map: '10/44.12/-122.03' },
    prepare: async (page) => {
      await drop(page, 'units.geojson', UNITS);
      await page.getByLabel(/Hand planting, per planted tree/).fill('1.20');
      await page.getByLabel(/Drone seeding, per sown spot/).fill('0.60');
      await page.getByLabel(/^Living trees wanted/).fill('200');
      await page.getByLabel("Compare with today's climate").check();
      await page.locator('table.plan').getByText('Today', { exact: true }).waitFor();
      await page
        .locator('table.order')
        .first()
        .evaluate((table) => table.scrollIntoView());
    },
  },
  {
    file: 'corners.png',
    choices: { panel: 'units', map: '10/44.12/-122.03' },
    prepare: async (page) => {
      await drop(page, 'units.geojson', UNITS);
      await page.getByLabel('Change a unit').selectOption('Ridge top');
      await page.getByRole('button', { name: 'Edit corners' }).click();
      await page.getByRole('button', { name: 'Corner 1 of 9', exact: true }).click();
      await page.locator('table.plan').waitFor();
    },
  },
  {
    file: 'phone.png',
    choices: { site: '44.12,-122.03', map: '8/44.12/-122.03' },
    size: { width: 390, height: 844 },
  },
];

const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-screenshots-'));
const service = spawn(process.execPath, [path.join(root, 'dist/main.js')], {
  env: { ...process.env, PORT: '0', OPS_PORT: '0', DATABASE_URL: `sqlite:${folder}/keys.db` },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let link = '';
for await (const line of createInterface({ input: service.stdout })) {
  link ||= /^ {2}(http\S+#key=\S+)$/.exec(line)?.[1] ?? '';
  if (line.includes('"msg":"ready"')) break;
}
mkdirSync(output, { recursive: true });
const browser = await launchBrowser();
try {
  for (const {
    file,
    choices,
    size = { width: 1440, height: 900 },
    colorScheme = 'light',
    prepare,
  } of PICTURES) {
    const context = await browser.newContext({ viewport: size, colorScheme });
    const page = await context.newPage();
    await page.goto(`${link}&${new URLSearchParams(choices)}`);
    await prepare?.(page);
    await mapReady(page);
    await page.waitForTimeout(1000); // the map draws what it was given
    await page.screenshot({ path: path.join(output, file) });
    await context.close();
  }
} finally {
  await browser.close();
  service.kill();
  rmSync(folder, { recursive: true });
}
