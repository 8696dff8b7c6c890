import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const KEYS_COMMAND = path.join(import.meta.dirname, '../../dist/cli/keys.js');

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a restart after %s loses no count of an answered request',
  async (signal) => {
    const environment = { DATABASE_URL: `sqlite:${path.join(temporaryFolder(), 'keys.db')}` };
    const arguments_ = [KEYS_COMMAND, 'issue', '--tier', 'mycel', '--owner', 'Ada', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env: environment });
    const [key] = /nurse_live_[0-9a-f]{32}/.exec(stdout)!;
    const call = async (api: string) => {
      const { headers } = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
      return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
    };

    const first = new ServiceProcess(environment);
    const { api } = await first.ready();
    const left = await Promise.all(Array.from({ length: 20 }, () => call(api)));
    expect(Math.min(...left)).toBe(10_000 - 20);
    first.signal(signal);
    await first.exit;
    const second = new ServiceProcess(environment);
    expect(await call((await second.ready()).api)).toBe(10_000 - 21);
  },
);
