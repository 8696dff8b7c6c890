import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { configHelp } from '../../src/config.js';

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
