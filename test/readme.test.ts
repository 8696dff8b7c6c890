import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configTable } from './support/config-table.js';
import { HAS_GDAL } from './support/gdal.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text!);
}

/** The paths and types of a JSON value: what two answers with other numbers in them share. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]));
}

const folder = mkdtempSync(path.join(tmpdir(), 'nurselog-readme-'));
// The tests of the Python client run those of its command.
const [start, exported, call, batch, gis, plan, keys] = blocks('sh').filter(
  (block) => !/^nurselog /m.test(block),
);
const environment = {
  ...process.env,
  PORT: '0',
  OPS_PORT: '0',
  DATABASE_URL: `sqlite:${folder}/keys.db`,
  REQUEST_TIMEOUT_MS: '60000', // no raster is late, however busy the machine
  npm_config_ignore_scripts: 'true', // the build that prestart and prekeys would repeat
};
let service: ChildProcess;
let url: string | undefined;
let key: string | undefined;

beforeAll(async () => {
  const [install, run] = start!.trim().split(' && ');
  expect(install).toBe('npm ci'); // done already: these tests run
  // A group of its own, so that npm, its shell and the service end together.
  service = spawn('sh', ['-c', run!], { cwd: root, env: environment, detached: true });
  for await (const line of createInterface({ input: service.stdout! })) {
    url ??= /nurselog is ready on (\S+)/.exec(line)?.[1];
    key ??= /^ {2}(nurse_live_[0-9a-f]{32})$/.exec(line)?.[1];
    if (line.includes('curl')) break;
  }
});

afterAll(async () => {
  process.kill(-service.pid!, 'SIGTERM');
  await once(service, 'exit');
  rmSync(folder, { recursive: true });
});

/** What a block of the README prints after the one that sets the environment, with the address and key of the service. */
function outputOf(block: string): string {
  const setting = exported.replace('http://127.0.0.1:8080', url!).replace(/nurse_live_[0-9a-f]{32}/, key!);
  return execFileSync('sh', ['-e', '-c', setting + block], { encoding: 'utf8' });
}

const answerTo = (block: string): unknown => JSON.parse(outputOf(block));

test('the call in the README is answered in the shape that the README shows', () => {
  expect(shape(answerTo(call))).toEqual(shape(JSON.parse(blocks('json')[0])));
});

test('the batch in the README is answered without failures', () => {
  expect(answerTo(batch)).toHaveProperty('summary', { total: 2, successful: 2, failed: 0 });
});

test('the first calls at /docs are those of the README', async () => {
  const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { description: string } };
  for (const example of [call, ...blocks('python'), ...blocks('ts')])
    expect(info.description).toContain(example);
});

test.skipIf(!HAS_GDAL)('the lines for GDAL in the README show a raster, its values and points', () => {
  const output = outputOf(gis);
  expect(output).toContain('Description = drone_seeded_5');
  expect(output.match(/Value: 0\.\d+/g)).toHaveLength(6);
  expect(output).toMatch(/Feature Count: \d{4}/);
});

test('the plan in the README is answered', () => {
  expect(answerTo(plan)).toMatchObject({
    units: [{ id: 'A-17', data_points: 9, options: [{ rank: 1 }, {}, {}, {}] }],
  });
});

test('the commands in the README that manage keys work', () => {
  const output = execFileSync('sh', ['-e', '-c', keys!], { cwd: root, env: environment, encoding: 'utf8' });
  expect(output).toMatch(/nurse_live_[0-9a-f]{32}/);
  expect(output).toContain('Ada, Siuslaw planting crew');
});

test('the README lists every environment variable as the configuration has it', () => {
  expect(readme).toContain(configTable());
});

test('the README names only npm scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  const named = [...readme.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, script]) => script!);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  const build = 'npm run --silent build';
  expect(scripts).toMatchObject({ prestart: build, prekeys: build });
});
