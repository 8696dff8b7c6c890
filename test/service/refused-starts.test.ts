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
import { startTestService } from '../support/service.js';
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

test('an invalid variable ends the start with one line that names it', () =>
  expectRefused({ PORT: '65536' }, /^nurselog: PORT .+, not "65536"/));

/** A port of 127.0.0.1 on which somebody else listens until the running test is over. */
async function portInUse(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  return String((other.address() as AddressInfo).port);
}

test('a PORT in use ends the start with one line that names the address', async () => {
  const PORT = await portInUse();
  const address = `127\\.0\\.0\\.1:${PORT}`;
  await expectRefused({ PORT }, new RegExp(` PORT ${PORT}: .*EADDRINUSE.*${address}; .* OPS_PORT`));
});

test('a HOST with characters that a terminal acts on ends the start with one line without them', () =>
  expectRefused({ HOST: '\u001b[31m\n' }, /^\P{Cc}+ HOST "\\u001b\[31m\\u000a", \P{Cc}+\n$/u));

/** Starts the service in this process. */
async function expectFailure(environment: Record<string, string>, reason: RegExp): Promise<void> {
  const start = startTestService(environment);
  await expect(start).rejects.toThrow(reason);
  await expect(start).rejects.toThrow(/^[^\n]+$/);
}

test('an OPS_PORT in use is the reason for a failed start', async () => {
  const OPS_PORT = await portInUse();
  await expectFailure({ OPS_PORT }, new RegExp(` OPS_PORT ${OPS_PORT}: .*EADDRINUSE`));
});

test.each([
  ['HOST', '192.0.2.1', '192\\.0\\.2\\.1'],
  ['HOST', 'nosuch.invalid', 'nosuch\\.invalid'],
  ['OPS_HOST', 'nosuch.invalid', 'nosuch\\.invalid'],
])('a %s that is no address of this machine is the reason for a failed start: %j', (name, value, shown) => {
  const rule = `${name} must be an address of this machine, or a name of one, and `;
  return expectFailure({ [name]: value }, new RegExp(`${name} "${shown}", .*; ${rule}`));
});

test('a key store that cannot be created, or is not a database, is the reason for a failed start', async () => {
  const unusable = (file: string) => new RegExp(`the key store ${file} of DATABASE_URL cannot be used`);
  await expectFailure({ DATABASE_URL: 'sqlite:/proc/x/y.db' }, unusable('/proc/x/y\\.db'));
  const file = path.join(temporaryFolder(), 'keys.db');
  writeFileSync(file, 'not a database, but as long as the header of one'.repeat(20));
  await expectFailure({ DATABASE_URL: `sqlite:${file}` }, unusable(file));
});

test.each(['DATA_DIR', 'MODEL_DIR'])(
  'a missing folder ends the start with one line that names %s, shows a space before its path, and no API key in it',
  (name) => {
    const key = `nurse_live_${'0123456789abcdef'.repeat(2)}`;
    const line = new RegExp(
      `^nurselog: " /nowhere/nurse_live_0123…/\\S+": the file is missing \\(${name} names the folder\\)`,
    );
    return expectRefused({ [name]: ` /nowhere/${key}` }, line);
  },
);

test('a read-only key store ends the start with one line that names it, even if no first key would be issued, and commands read it', async () => {
  const file = path.join(temporaryFolder(), 'keys.db');
  const DATABASE_URL = `sqlite:${file}`;
  const { id } = await new KeysCommand(DATABASE_URL).issue();
  chmodSync(file, 0o444);
  // Root writes to any file unless it gives up this capability.
  const wrapper = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const line = new RegExp(
    `the key store ${file} of DATABASE_URL cannot be used: .*readonly.* that this user may write to`,
  );
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

test('--help prints the environment variables and starts nothing', () => {
  expect(start('--help')).toEqual({ status: 0, stdout: configHelp(), stderr: '' });
});

test('an unknown argument is refused by its name, with exit code 2 and a hint at --help', () => {
  const { status, stdout, stderr } = start('-h', 'a\u001bb');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^nurselog: unknown argument "a\\u001bb"; [^\n]*"npm start -- --help"[^\n]*\n$/);
});
