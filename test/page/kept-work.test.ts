import { truncateSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serviceAndBrowser, test, WITHOUT_MAP } from './support/browser.js';
import { setWarming } from './support/launch-browser.js';
import { collection, drop, openUnits, saved, score, storedText } from './support/units.js';

const shared = await serviceAndBrowser(WITHOUT_MAP);

test('a change of the key keeps the file of points and its answered rows', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'points.csv', 'plot,latitude,longitude\nfirst,44.12,-122.03\nsea,44,-130\n');
  await score(page, '2 of 2 rows answered');
  await page.getByRole('tab', { name: 'About the figures' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByLabel('API key').fill(shared.service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  expect(await page.getByText('2 of 2 rows answered').count()).toBe(1);
  expect((await saved(page, 'Save 2 rows')).trim().split('\r\n')).toHaveLength(3);
  const close = page.getByRole('button', { name: 'Close', exact: true });
  await close.click(); // Playwright declines the question
  page.once('dialog', (dialog) => dialog.accept());
  await close.click();
  await page.getByRole('heading', { name: '2 points' }).waitFor({ state: 'detached' });
});

test('a change of the panel keeps what the plan was narrowed to and its order', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await page.getByLabel('Douglas-fir only').check();
  await page.getByLabel('Native species only').uncheck();
  await page.getByLabel('Best option of each unit only').uncheck();
  await page.getByLabel('Filter').fill('south');
  await page.locator('table.plan').getByRole('button', { name: 'Alive' }).click();
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.locator('table.plan').waitFor();
  expect(await page.getByLabel('Douglas-fir only').isChecked()).toBe(true);
  expect(await page.getByLabel('Native species only').isChecked()).toBe(false);
  expect(await page.getByLabel('Best option of each unit only').isChecked()).toBe(false);
  expect(await page.getByLabel('Filter').inputValue()).toBe('south');
  expect(await page.locator('table.plan th[aria-sort="descending"]').innerText()).toContain('Alive');
});

/** Makes work of units, points, a cost and another climate, and waits for its answers. */
async function workIn(page: Page): Promise<void> {
  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await drop(page, 'points.csv', 'plot,latitude,longitude\nfirst,44.12,-122.03\nsea,44,-130\n');
  await score(page, '2 of 2 rows answered');
  await page.getByLabel(/^Hand planting, per/).fill('1.2');
  await page.getByLabel(/^Drone seeding, per/).fill('0.6');
  await setWarming(page, '2');
  await page.locator('table.plan').getByText('South slope').waitFor();
}

async function expectWork(page: Page): Promise<void> {
  await page.locator('table.plan').getByText('South slope').waitFor();
  expect(await page.getByText('2 of 2 rows answered, 1 with an error').count()).toBe(1);
  expect(await page.getByLabel(/^Hand planting, per/).inputValue()).toBe('1.2');
  expect(await page.getByLabel('Warming, °C').inputValue()).toBe('2');
}

test('work survives a reload and a new tab, not its switch or Clear; no key is kept', async () => {
  const { page, context } = await openUnits(shared);
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.type());
    return dialog.accept();
  });
  await workIn(page);
  await expect.poll(() => storedText(page)).toContain('South slope');
  expect(await storedText(page)).not.toContain(shared.service.key);
  await page.reload();
  await expectWork(page);
  const tab = await context.newPage();
  await tab.goto(`${shared.service.apiUrl}/#key=${shared.service.key}`); // without choices: those of the work
  await expectWork(tab);
  expect(await tab.getByRole('button', { name: 'Undo' }).count()).toBe(0); // nobody changed the work
  await tab.getByLabel('Change a unit').selectOption('North slope');
  await tab.getByRole('button', { name: 'Remove this unit' }).click();
  await page.getByText('The work was changed in another tab.').waitFor();
  await page.getByRole('button', { name: 'Take it over' }).click();
  await page.locator('table.plan').getByText('North slope').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Keep my work').evaluate((each) => each.matches(':focus'))).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('table.plan').getByText('North slope').waitFor();
  await tab.close();
  expect(questions.splice(0)).toEqual(['confirm']); // whether to discard the answered rows

  await page.getByLabel('Keep my work in this browser').uncheck();
  await expect.poll(() => storedText(page)).toBe('[]');
  await page.reload();
  await page.getByRole('heading', { name: 'Planting units' }).waitFor();
  expect(questions).toEqual(['beforeunload']);
  expect(await page.getByLabel('Keep my work in this browser').isChecked()).toBe(false);
  expect(await page.locator('table.plan').count()).toBe(0);
  await page.getByLabel('Keep my work in this browser').check();
  for (const _ of [1, 2]) await drop(page, 'units.geojson', collection(['North slope']));
  await page.getByText('Here already, and not added again: 1 unit.').waitFor();
  await expect.poll(() => storedText(page)).toContain('North slope');
  const draw = page.getByRole('button', { name: 'Draw a unit' });
  await draw.click();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => storedText(page)).not.toContain('North slope');
  expect(await page.getByText('Here already').count()).toBe(0);
  expect(questions.splice(0)).toEqual(['beforeunload', 'confirm']);
  expect(await page.getByLabel('Change a unit').count()).toBe(0);
  await draw.click();
  await page.getByLabel(/^Corners/).pressSequentially('44.1, '); // and the field is not left
  await page.reload();
  await draw.waitFor();
  expect(questions).toEqual(['beforeunload']);
});

test('a tab whose kept work another one replaced keeps all of it at its next change, and is not closed before without a question', async () => {
  const { page: first, context } = await openUnits(shared);
  const second = await context.newPage();
  await second.goto(`${shared.service.apiUrl}/#key=${shared.service.key}&panel=units`);
  await second.getByRole('heading', { name: 'Planting units' }).waitFor();
  const changed = 'The work was changed in another tab.';
  await drop(second, 'units.geojson', collection(['Of the second']));
  await first.getByText(changed).waitFor();
  await drop(first, 'units.geojson', collection(['Of the first']));
  await second.getByText(changed).waitFor();
  const questions: string[] = [];
  second.on('dialog', (dialog) => {
    questions.push(dialog.type());
    return dialog.dismiss();
  });
  await second.getByRole('tab', { name: 'Units' }).click(); // browsers ask only after an interaction
  await second.close({ runBeforeUnload: true });
  await expect.poll(() => questions).toEqual(['beforeunload']);
  await second.getByLabel(/^Hand planting, per/).fill('1.2');
  await first.getByText(changed).waitFor();
  expect(await storedText(second)).toContain('Of the second');
  await second.reload();
  await second.locator('table.plan').getByText('Of the second').waitFor();
  expect(questions).toEqual(['beforeunload']);
});

test('kept work that cannot be read stays, and the page says so, until there are units', async () => {
  const { page } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope']));
  await expect.poll(() => storedText(page)).toContain('North slope');
  await page.evaluate(async () => {
    const opened = indexedDB.open('nurselog');
    await new Promise((resolve) => opened.addEventListener('success', resolve));
    const change = opened.result.transaction('work', 'readwrite');
    change.objectStore('work').put(99, 'version');
    await new Promise((resolve) => change.addEventListener('complete', resolve));
    opened.result.close();
  });
  await page.reload();
  await page.getByText('The work that this browser keeps cannot be read (version:').waitFor();
  await setWarming(page, '2');
  await page.getByRole('tab', { name: 'Site' }).click();
  await page.getByRole('tab', { name: 'Units' }).click();
  expect(await storedText(page)).toContain('North slope');
  await drop(page, 'units.geojson', collection(['East slope']));
  await expect.poll(() => storedText(page)).toContain('East slope');
  await page.getByText('The work that this browser keeps cannot be read').waitFor({ state: 'detached' });
  expect(await storedText(page)).not.toContain('North slope');
});

test('a tab whose kept work another one removed keeps all of it at its next change', async () => {
  const { page, context } = await openUnits(shared);
  await drop(page, 'units.geojson', collection(['North slope', 'South slope']));
  await expect.poll(() => storedText(page)).toContain('North slope');
  const tab = await context.newPage();
  tab.on('dialog', (dialog) => dialog.accept());
  await tab.goto(`${shared.service.apiUrl}/#key=${shared.service.key}`);
  await tab.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('The work was changed in another tab.').waitFor();
  await expect.poll(() => storedText(page)).toBe('[]');
  await page.getByRole('tab', { name: 'Site' }).click(); // no change of content
  await page.getByRole('tab', { name: 'Units' }).click();
  await page.getByText('The work was changed in another tab.').waitFor();
  await page.getByRole('button', { name: 'Take it over' }).click();
  await page.getByText('Nothing is kept in this browser any more.').waitFor();
  await page.getByLabel(/^Hand planting, per/).fill('1.2');
  await expect.poll(() => storedText(page)).toContain('North slope');
  await page.reload();
  await page.locator('table.plan').getByText('South slope').waitFor();
  await tab.getByLabel('Keep my work in this browser').uncheck();
  await expect.poll(() => page.getByLabel('Keep my work in this browser').isChecked()).toBe(false);
});

test('a saved project opens elsewhere with all of the work, and a damaged or hostile one says what is wrong and does nothing', async () => {
  const first = await openUnits(shared);
  await workIn(first.page);
  const text = await saved(first.page, 'Save project');
  await first.context.close();
  const project = JSON.parse(text);
  expect(project.type).toBe('FeatureCollection');
  expect(project.features[0]).toMatchObject({ id: 'North slope', properties: { name: 'North slope' } });
  expect(text).not.toContain(shared.service.key);

  const { page } = await openUnits(shared);
  const open = (content: unknown) =>
    page.getByLabel('Open project').setInputFiles({
      name: 'project.geojson',
      mimeType: '',
      buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    });
  await page.getByRole('button', { name: 'Draw a unit' }).click();
  await page.getByLabel(/^Corners/).fill('44.1, -122\n44.2, -122\n44.2, -122.1');
  await page.keyboard.press('Tab');
  await open(text); // Playwright declines the question
  await page.getByText('Not opened: the work on the page stays.').waitFor();
  page.once('dialog', (dialog) => dialog.accept());
  await open(text);
  await page.getByText('Opened: a project with 2 units.').waitFor();
  await expectWork(page);

  const markup = '<img src=x onerror=document.title="run">';
  const changed = (change: object) => ({ ...project, nurselog: { ...project.nurselog, ...change } });
  const costly = { ...project.nurselog.settings, costs: { manual: '1', drone_seeded: 1 } };
  for (const [content, message] of [
    [text.slice(0, -10), 'The file is not JSON'],
    [changed({ version: 2 }), 'The project has version 2; this page reads version 1.'],
    [{ ...project, nurselog: null }, 'The project has version none'],
    [{ ...project, features: {} }, 'The project has no list of features.'],
    [changed({ settings: costly }), 'settings.costs.manual: Invalid input: expected number'],
    [changed({ choices: markup.repeat(1000) }), 'choices: Too big'],
    [changed({ points: null }), 'scored.rows: Too many: expected at most one for each point'],
    [{ ...project, features: [{ id: markup, geometry: null }] }, 'units.0.geometry: Invalid input'],
  ] as const) {
    await open(content);
    await page.locator('#panel .error').getByText(message).waitFor();
  }
  await open(text);
  await page.getByText('Not opened: the work on the page stays.').waitFor();
  await expectWork(page); // untouched
  page.once('dialog', (dialog) => dialog.accept());
  const hostile = { ...project.features[0], id: markup, properties: { constructor: markup, name: markup } };
  const choices = `key=${markup}&panel=${markup}&species=${markup}`;
  const scored = { ...project.nurselog.scored, rows: [{ survival_5: markup }] };
  const content = { ...changed({ choices, scored, __proto__: { version: 1 } }), features: [hostile] };
  await open(content);
  await page.locator('table.plan').getByText(markup).waitFor();
  expect(await page.locator('.points').innerText()).not.toContain('NaN');
  expect(await page.title()).toBe('nurselog planner');
});

test('a project is opened at any size at which it can be saved, and one that is too large says so in both', async () => {
  const { page } = await openUnits(shared);
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByLabel('Keep my work in this browser').uncheck();
  const save = page.getByRole('button', { name: 'Save project' });
  // Each row of a project repeats the names of columns.
  const dropRows = (rows: number) =>
    drop(page, 'points.csv', `latitude,longitude,${'x'.repeat(1e6)}\n${'44.12,-122.03,a\n'.repeat(rows)}`);
  await dropRows(35);
  await page.getByRole('heading', { name: '35 points' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  const path = `${await download.path()}.geojson`;
  await download.saveAs(path);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('heading', { name: '35 points' }).waitFor({ state: 'detached' });
  await page.getByLabel('Open project').setInputFiles(path);
  await page.getByRole('heading', { name: '35 points' }).waitFor();

  await dropRows(110);
  await page.getByRole('heading', { name: '110 points' }).waitFor();
  await save.click();
  await page.getByText('The project has 106 MB, and the page opens at most 100 MB. Remove').waitFor();
  truncateSync(path, 101 * 1024 ** 2);
  await page.getByLabel('Open project').setInputFiles(path);
  await page.getByText('The file has 101 MB, and the page opens at most 100 MB. Divide').waitFor();
});

test('Back and Forward move between sites and panels', async () => {
  const { page } = await openUnits(shared, { site: '44.12,-122.03' });
  const place = page.locator('#place');
  await page.getByRole('tab', { name: 'Site' }).click();
  await expect.poll(() => place.inputValue()).toBe('44.12, -122.03');
  await place.fill('44.2, -122.1');
  await page.keyboard.press('Enter');
  await page.waitForURL(/site=44.2,-122.1/);
  await setWarming(page, '2'); // no step of its own
  await page.getByRole('tab', { name: 'About the figures' }).click();
  await page.goBack();
  await page.getByRole('tab', { name: 'Site', selected: true }).waitFor();
  await expect.poll(() => place.inputValue()).toBe('44.2, -122.1');
  await page.goBack();
  await expect.poll(() => place.inputValue()).toBe('44.12, -122.03');
  await page.goBack();
  await page.getByRole('tab', { name: 'Units', selected: true }).waitFor();
  await page.goForward();
  await page.goForward();
  await expect.poll(() => place.inputValue()).toBe('44.2, -122.1');
});
