import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { survivalScale } from '../../web/src/map/colours.js';
import { serviceAndBrowser, test } from './support/browser.js';
import { middleOfMap, setWarming } from './support/launch-browser.js';
import { survivalAt } from './support/survival.js';
import { drop, openUnitsOnMap, score } from './support/units.js';

const shared = await serviceAndBrowser();

/** Two places in the forest and one at sea. */
const FILE = 'plot,latitude,longitude\nfirst,44.12,-122.03\nsecond,44.14,-122.0\nsea,44,-130\n';

/** Red, green and blue of a pixel of the page. */
async function colourAt(page: Page, x: number, y: number): Promise<number[]> {
  const picture = await page.screenshot({ clip: { x: x - 1, y: y - 1, width: 3, height: 3 } });
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas').getContext('2d')!;
    canvas.drawImage(image, 0, 0);
    return [...canvas.getImageData(1, 1, 1, 1).data].slice(0, 3);
  }, picture.toString('base64'));
}

test('scored points are circles in the colours of survival; a click opens the row', async () => {
  const { page } = await openUnitsOnMap(shared, { map: '12/44.12/-122.03' });
  await page.getByLabel('Map shows').selectOption('advantage');
  await drop(page, 'points.csv', FILE);
  await score(page, '3 of 3 rows answered, 1 with an error');
  await page.locator('.legend').getByText('Circles: points of the file').waitFor();
  const survival = await survivalAt(shared.service);

  await page.getByRole('button', { name: 'Point 1: first' }).click();
  await page.getByRole('heading', { name: 'Point 1: first' }).waitFor();
  // The map moves the point to its middle, and marks it by a ring until it is closed.
  const [x, y] = await middleOfMap(page);
  await expect.poll(() => colourAt(page, x + 10, y)).toEqual([194, 65, 12]);
  await page.getByRole('button', { name: 'Close the point' }).click();
  await expect.poll(() => colourAt(page, x + 10, y)).not.toEqual([194, 65, 12]);
  const hovered = async () => {
    await page.mouse.move(x + 1, y);
    await page.mouse.move(x, y);
    return (await page.locator('.hover').allTextContents()).join();
  };
  await expect.poll(hovered).toBe(`Point 1: ${Math.round(survival * 100)}\u00a0% alive after 5 years`);
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.mouse.click(x, y);
  await page.getByRole('heading', { name: 'Point 1: first' }).waitFor();
  await page.mouse.move(x - 200, y);
  // The colour of the circle is that of the legend's ramp at this survival.
  const [red, green, blue] = await colourAt(page, x, y);
  const { colours } = survivalScale('');
  const at = survival * (colours.length - 1);
  const expected = [1, 3, 5].map((start) => {
    const channel = (index: number) => Number.parseInt(colours[index]!.slice(start, start + 2), 16);
    const low = Math.floor(at);
    return channel(low) + (channel(low + 1) - channel(low)) * (at - low);
  });
  for (const [index, channel] of [red, green, blue].entries())
    expect(Math.abs(channel! - expected[index]!)).toBeLessThan(4);

  await page.getByRole('button', { name: 'Show this site' }).click();
  await page.locator(`[data-testid="tile-manual"] [data-value="${survival}"]`).waitFor();
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByRole('button', { name: 'Point 3: sea' }).click();
  await page.locator('.whole-row').getByText('outside the coverage').waitFor();
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(() => page.locator('.legend').innerText()).not.toContain('Circles');
});

test('scored points name what they were scored for, and other choices made since', async () => {
  const { page } = await openUnitsOnMap(shared);
  await drop(page, 'points.csv', FILE);
  await page.getByRole('button', { name: 'Score the points' }).click();
  const status = page.locator('.points').getByRole('status');
  await status.getByText("for Douglas-fir, hand planting, after 5 years, today's climate").waitFor();
  expect(await page.getByText('Changed since then').count()).toBe(0);
  await page.locator('.controls select').first().selectOption('PISI');
  await setWarming(page, '2');
  await page.getByText('Changed since then: another species, another climate.').waitFor();
  expect(await page.locator('.legend').innerText()).toContain("survival after 5 years, today's climate");
  await page.getByRole('button', { name: 'Score the points' }).click(); // Playwright declines the question
  expect(await status.innerText()).toContain('for Douglas-fir, hand planting');
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Score the points' }).click();
  await status.getByText('for Sitka spruce, hand planting, after 5 years, 2 °C warmer').waitFor();
  expect(await page.getByText('Changed since then').count()).toBe(0);
});

test('choices that every row of a file makes itself are no other choices', async () => {
  const { page } = await openUnitsOnMap(shared);
  const rows = ['44.12,-122.03,PSME,manual', '44.14,-122.0,PISI,drone_seeded'];
  await drop(page, 'own.csv', ['latitude,longitude,species_code,planting_method', ...rows, ''].join('\n'));
  await page.getByRole('button', { name: 'Score the points' }).click();
  const asked = "for each row's species, each row's method, after 5 years, today's climate";
  await page.locator('.points').getByRole('status').getByText(asked).waitFor();
  await page.locator('.controls select').first().selectOption('PISI');
  await setWarming(page, '2');
  await page.getByText('Changed since then: another climate.').waitFor();
});
