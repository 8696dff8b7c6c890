import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { configHelp } from '../../src/config.js';
import { KeysCommand } from '../reliability/support/keys-command.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

async function expectRefused(
  environment: Record<string, string>,
  line: RegExp,
  wrapper: readonly string[] = [],
): Promise<void> {
  const service = new ServiceProcess(environment, undefined, wrapper);
  expect(await service.exit).toEqual({ code: 1, signal: null });
  expect(service.errors).toMatch(/^nurselog: [^\n]+\n$/);
  expect(service.errors).toMatch(line);
  expect(service.output.join() + service.errors).not.toMatch(/nurse_live_[0-9a-f]{32}/);
}

test.each([
  ['PORT', '65536'],
  ['WORKERS', 'two'],
  ['LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'mysql://localhost'],
])('an invalid variable ends the start with one line that names it: %s=%s', async (name, value) => {
  await expectRefused({ [name]: value }, new RegExp(`^nurselog: ${name} .+, not "`));
});

test('an unknown NURSELOG_* ends the start with one line that names it', async () => {
  await expectRefused({ NURSELOG_PORT: '8080' }, /NURSELOG_PORT is not a variable/);
});

test('a key store in a folder that cannot be created ends the start with one line that names it', async () => {
  await expectRefused(
    { DATABASE_URL: 'sqlite:/proc/x/y.db' },
    /the key store \/proc\/x\/y\.db cannot be used/,
  );
});

test.each(['PORT', 'OPS_PORT'])(
  'a %s in use ends the start with one line that names the address',
  async (name) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expectRefused(
      { [name]: String(port) },
      new RegExp(` ${name} ${port}: .*EADDRINUSE.*127\\.0\\.0\\.1:${port}`),
    );
  },
);

test('a HOST that is not of this machine ends the start with one line that names it', async () => {
  await expectRefused({ HOST: '192.0.2.1' }, / HOST "192\.0\.2\.1"/);
});

test.each(['HOST', 'OPS_HOST'])(
  'a %s that is not an address ends the start with one line that names it',
  async (name) => {
    const what = `${name} "nosuch\\.invalid", .*; ${name} must be an address of this machine, or a name of one, and `;
    await expectRefused({ [name]: 'nosuch.invalid' }, new RegExp(what));
    await expectRefused({ [name]: '\u001b[31m\n' }, new RegExp(`${name} "\\\\u001b\\[31m\\\\u000a"`));
  },
);

test('a DATABASE_URL with a server after sqlite: ends the start without a connection to it', async () => {
  const connections: unknown[] = [];
  const server = createServer((socket) => {
    connections.push(socket.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expectRefused(
    { DATABASE_URL: `sqlite:http://root:secret@127.0.0.1:${port}` },
    /^(?!.*secret).*DATABASE_URL/,
  );
  expect(connections).toEqual([]);
});

test('the line that names a folder does not show an API key in its path', async () => {
  const key = `nurse_live_${'0123456789abcdef'.repeat(2)}`;
  await expectRefused({ DATA_DIR: `/nowhere/${key}` }, /\/nowhere\/nurse_live_0123…/);
});

test('a key store that is not a database ends the start with one line that names it', async () => {
  const file = path.join(temporaryFolder(), 'keys.db');
  writeFileSync(
    file,
    'not a database, but long enough to be read as the header of one, which it is not'.repeat(20),
  );
  await expectRefused({ DATABASE_URL: `sqlite:${file}` }, new RegExp(file));
});

test('a key store that the service may read and not write ends the start with one line that names it, although it issues no first key there, and commands read it', async () => {
  const file = path.join(temporaryFolder(), 'keys.db');
  const DATABASE_URL = `sqlite:${file}`;
  const { id } = await new KeysCommand(DATABASE_URL).issue();
  chmodSync(file, 0o444);
  // Root writes to any file unless it gives up this capability.
  const wrapper = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const line = new RegExp(`the key store ${file} cannot be used: .*readonly.* that this user may write to`);
  await expectRefused({ DATABASE_URL, HOST: '0.0.0.0' }, line, wrapper);
  const command = [...wrapper, process.execPath, 'dist/cli/keys.js', 'list'];
  const { stdout } = await promisify(execFile)('env', command, {
    cwd: path.join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, DATABASE_URL },
  });
  expect(stdout).toContain(id);
});

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Runs the service with arguments, as `npm start -- ARGS` does; one that started would be ended by the time limit. */
function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env: { PORT: '0', OPS_PORT: '0', DATABASE_URL: 'sqlite:/proc/none/keys.db' },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

test.each(['--help', '-h'])('%s prints the environment variables and starts nothing', (argument) => {
  expect(start(argument)).toEqual({ status: 0, stdout: configHelp(), stderr: '' });
});

test.each(['--port', 'serve', '--help=all', 'a\u001bb'])(
  'the unknown argument %j is refused by its name, with exit code 2 and a hint at --help',
  (argument) => {
    const { status, stdout, stderr } = start('--help', argument);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const shown = JSON.stringify(argument);
    expect(stderr).toMatch(/^nurselog: [^\n]*"npm start -- --help"[^\n]*\n$/);
    expect(stderr).toContain(`unknown argument ${shown};`);
  },
);
