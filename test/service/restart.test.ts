import path from 'node:path';
import { expect, test } from 'vitest';
import { json, keysOn } from '../accounts/support/run-keys.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

// reliability/killed.test.ts has the same of SIGKILL.
test('a restart after SIGTERM loses no count of an answered request', async () => {
  const DATABASE_URL = `sqlite:${path.join(temporaryFolder(), 'keys.db')}`;
  const { key } = json(await keysOn(DATABASE_URL)('issue --tier mycel --owner Ada --json'));
  const call = async (api: string) => {
    const { headers } = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
    return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
  };

  const first = new ServiceProcess({ DATABASE_URL });
  const { api } = await first.ready();
  const left = await Promise.all(Array.from({ length: 20 }, () => call(api)));
  expect(Math.min(...left)).toBe(10_000 - 20);
  first.signal('SIGTERM');
  await first.exit;
  const second = new ServiceProcess({ DATABASE_URL });
  expect(await call((await second.ready()).api)).toBe(10_000 - 21);
});
