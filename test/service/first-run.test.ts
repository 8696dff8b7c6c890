import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { predictionResultSchema } from '../../src/http/response/schemas.js';
import { freePort } from '../../testing/free-port.js';
import { HAS_POSTGRES, POSTGRES } from '../accounts/support/databases.js';
import { KeysCommand } from '../reliability/support/keys-command.js';
import { eventually } from '../support/eventually.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const ISSUE_HINT =
  /"level":40,.*"msg":"the key store has no keys; issue one with \\"(node dist\/cli\/keys\.js issue [^"\\]*)\\" in the working folder and with the DATABASE_URL of this process"/;
const KEY = /nurse_live_[0-9a-f]{32}/;

/** Everything that a service writes from its start to its end. */
async function wholeOutput(environment: Record<string, string>): Promise<string> {
  const service = new ServiceProcess(environment);
  await service.ready();
  service.signal('SIGTERM');
  expect(await service.exit).toEqual({ code: 0, signal: null });
  return service.output.join('\n') + service.errors;
}

const storeIn = (folder: string) => ({ DATABASE_URL: `sqlite:${path.join(folder, 'new', 'keys.db')}` });

test('the first start prints a hypha key and a curl line that works as printed', async () => {
  const service = new ServiceProcess();
  const line = await service.line(/^ {2}curl /);
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  expect(predictionResultSchema.parse(JSON.parse(stdout)).site.region).toBe('US-OR');
  expect(line).toContain(await service.firstKey());
  const { api } = await service.ready();
  const requests = Array(500).fill({});
  const batch = await fetch(`${api}/v1/predict/batch`, {
    method: 'POST',
    headers: { 'x-api-key': await service.firstKey(), 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  });
  expect(batch.status).toBe(200); // hypha's batch size
});

test('the first start prints a link to the page with the key, unless the page is turned off', async () => {
  const link = /^ {2}http:\/\/127\.0\.0\.1:\d+\/#key=nurse_live_[0-9a-f]{32}$/m;
  expect(await wholeOutput({})).toMatch(link);
  expect(await wholeOutput({ EXPLORER: 'off' })).not.toMatch(/#key=/);
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

test('the first start prints the key once, outside the log, and the second start prints none', async () => {
  const environment = storeIn(temporaryFolder());
  const output = await wholeOutput(environment);
  const lines = output.split('\n').filter((line) => KEY.test(line));
  expect(lines).toHaveLength(3); // the key, the link to the page, and the curl line
  for (const line of lines) expect(line).not.toMatch(/^\{/);
  expect(await wholeOutput(environment)).not.toMatch(KEY);
});

test.each(['is on a full disk', 'has lost its reader', 'is closed'])(
  'a first start whose output %s issues no key, serves and says so, and the next start issues one',
  async (trouble) => {
    const folder = temporaryFolder();
    const [port, opsPort] = [await freePort(), await freePort()];
    const environment = { ...storeIn(folder), PORT: String(port), OPS_PORT: String(opsPort) };
    const service =
      trouble === 'is on a full disk'
        ? new ServiceProcess(environment, '/dev/full')
        : new ServiceProcess(
            environment,
            undefined,
            trouble === 'is closed' ? ['sh', '-c', 'exec "$0" "$@" >&-'] : [],
          );
    if (trouble === 'has lost its reader') service.closeOutput();
    await eventually(async () => {
      expect((await fetch(`http://127.0.0.1:${port}/v1/health`)).status).toBe(200);
    });
    expect(await new KeysCommand(environment.DATABASE_URL).run('list')).toEqual([]);
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    expect(service.errors).toMatch(
      /^nurselog: the first API key could not be shown and was not issued, because [^\n]*(ENOSPC|EPIPE|closed)[^\n]*keys\.js issue --tier hypha[^\n]*\n$/,
    );
    expect(await wholeOutput(storeIn(folder))).toMatch(KEY);
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

test('a start on a store with a key issues none', async () => {
  const environment = storeIn(temporaryFolder());
  const keys = path.join(import.meta.dirname, '../../dist/cli/keys.js');
  await promisify(execFile)(process.execPath, [keys, 'issue', '--tier', 'spore', '--owner', 'Ada'], {
    env: environment,
  });
  expect(await wholeOutput(environment)).not.toMatch(KEY);
});

test('of two starts on one new store only one issues a key, and both accept it', async () => {
  const environment = storeIn(temporaryFolder());
  const services = [new ServiceProcess(environment), new ServiceProcess(environment)];
  const addresses = await Promise.all(services.map((service) => service.ready()));
  const firstKey = await Promise.any(services.map((service) => service.firstKey()));
  for (const { api } of addresses)
    expect((await fetch(`${api}/v1/species`, { headers: { 'x-api-key': firstKey } })).status).toBe(200);
  for (const service of services) service.signal('SIGTERM');
  await Promise.all(services.map((service) => service.exit));
  const printed = services.flatMap(({ output }) => output.filter((line) => /^ {2}nurse_live_/.test(line)));
  expect(printed).toHaveLength(1);
});
