import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/accounts/store/account-store.js';
import { predictionResultSchema } from '../../src/http/response/schemas.js';
import { freePort } from '../../testing/free-port.js';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { json, keysOn } from '../accounts/support/run-keys.js';
import { eventually } from '../support/eventually.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const ISSUE_HINT =
  /"level":40,.*"msg":"the key store has no keys; issue one with \\"(node dist\/cli\/keys\.js issue [^"\\]*)\\" in the working folder and with the DATABASE_URL of this process"/;
const KEY = /nurse_live_[0-9a-f]{32}/;

/** Everything that a service writes from its start to its end. */
async function wholeOutput(environment: Record<string, string>): Promise<string> {
  const service = new ServiceProcess(environment);
  await service.ready();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  return service.output.join('\n') + service.errors;
}

/** Waits until the service on a port of 127.0.0.1 serves. */
const serves = (port: number | string) =>
  eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/v1/health`)).status).toBe(200));

const storeIn = (folder: string) => ({ DATABASE_URL: `sqlite:${path.join(folder, 'new', 'keys.db')}` });

test('the first start prints a hypha key once, outside the log, with a link to the page and a curl line that work, and the second start prints none', async () => {
  const environment = storeIn(temporaryFolder());
  const service = new ServiceProcess(environment);
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  const lines = service.output.filter((line) => KEY.test(line));
  const [, link, curl] = lines;
  expect(lines).toEqual([`  ${key}`, `  ${api}/#key=${key}`, expect.stringMatching(/^ {2}curl /)]);
  expect((await fetch(link!.trim())).status).toBe(200);
  const { stdout } = await promisify(execFile)('sh', ['-c', curl!]);
  expect(predictionResultSchema.parse(JSON.parse(stdout)).site.region).toBe('US-OR');
  const requests = Array(500).fill({}); // hypha's batch size
  const batch = await fetch(`${api}/v1/predict/batch`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  });
  expect(batch.status).toBe(200);
  await service.stop();
  expect(await wholeOutput(environment)).not.toMatch(KEY);
});

test('the first start of a build without the page prints no link to it', async () => {
  const project = path.join(import.meta.dirname, '../..');
  const copy = temporaryFolder();
  const page = path.join(project, 'dist/web');
  cpSync(path.join(project, 'dist'), path.join(copy, 'dist'), {
    recursive: true,
    filter: (name) => name !== page,
  });
  for (const name of ['data', 'models', 'node_modules', 'package.json'])
    symlinkSync(path.join(project, name), path.join(copy, name));
  const service = new ServiceProcess({}, undefined, ['sh', '-c', `exec "$0" ${copy}/dist/main.js`]);
  const { api } = await service.ready();
  expect((await fetch(api)).status).toBe(404);
  expect(await service.firstKey()).toMatch(KEY);
  expect(service.output.join('\n')).not.toMatch(/#key=/);
});

test.each(['is on a full disk', 'has lost its reader', 'is closed'])(
  'a first start whose output %s issues no key and says so; the next start issues one, without a link to a disabled page',
  async (trouble) => {
    const store = storeIn(temporaryFolder());
    const port = await freePort();
    const environment = { ...store, PORT: String(port) };
    const service =
      trouble === 'is on a full disk'
        ? new ServiceProcess(environment, '/dev/full')
        : new ServiceProcess(
            environment,
            undefined,
            trouble === 'is closed' ? ['sh', '-c', 'exec "$0" "$@" >&-'] : [],
          );
    if (trouble === 'has lost its reader') service.closeOutput();
    await serves(port);
    expect(json(await keysOn(environment.DATABASE_URL)('list --json'))).toEqual([]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.errors).toMatch(
      /^nurselog: the first API key could not be shown and was not issued, because [^\n]*(ENOSPC|EPIPE|closed)[^\n]*keys\.js issue --tier hypha[^\n]*\n$/,
    );
    // All leave the same store.
    if (trouble !== 'is on a full disk') return;
    const output = await wholeOutput({ ...store, EXPLORER: 'off' });
    expect(output).toMatch(KEY);
    expect(output).not.toMatch(/#key=/);
  },
);

test('a start with a HOST that others can reach issues no key, and logs a command that issues one until the store has a key', async () => {
  const environment = { ...storeIn(temporaryFolder()), HOST: '0.0.0.0' };
  const output = await wholeOutput(environment);
  expect(output).not.toMatch(KEY);
  const [, command] = ISSUE_HINT.exec(output)!;
  const { stdout } = await promisify(execFile)('sh', ['-c', command!], {
    cwd: path.join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, DATABASE_URL: environment.DATABASE_URL },
  });
  expect(stdout).toMatch(KEY);
  expect(await wholeOutput(environment)).not.toMatch(ISSUE_HINT);
});

test.runIf(HAS_POSTGRES)(
  'a start on an empty PostgreSQL issues no key, and logs how to issue one',
  async () => {
    const output = await wholeOutput({ DATABASE_URL: await POSTGRES.create() });
    expect(output).not.toMatch(KEY);
    expect(output).toMatch(ISSUE_HINT);
  },
);

test.runIf(HAS_POSTGRES)(
  'a start that cannot read whether PostgreSQL has keys serves, and SIGTERM meanwhile ends it with exit code 0',
  async () => {
    const DATABASE_URL = await POSTGRES.create();
    await (await openStore(DATABASE_URL)).close();
    const other = new Client({ connectionString: DATABASE_URL });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table api_keys in access exclusive mode');
    const PORT = String(await freePort());
    const service = new ServiceProcess({ DATABASE_URL, PORT });
    await serves(PORT);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.output.join()).toMatch(/"ready".*"draining".*"stopped"/);
  },
);
