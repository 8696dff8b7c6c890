import path from 'node:path';
import { test as anyTest, expect } from 'vitest';
import { CAN_MOUNT } from '../support/can-mount.js';
import { eventually } from '../support/eventually.js';
import { Client } from '../support/kept-load.js';
import { IS_LONG } from '../support/length.js';
import { ServiceProcess } from '../support/service-process.js';
import { KeysCommand } from './support/keys-command.js';
import { askForAll, readWhole } from './support/mixed-load.js';
import { mixedRequests } from './support/mixed-requests.js';
import { SmallDisk } from './support/small-disk.js';

const HEALED_WITHIN_MS = 5000;
/** Sizes that the tier mycel allows. */
const MIX = mixedRequests({ batchSites: 20, tableRows: 100, surfacePoints: 100 });

interface Readiness {
  readonly reasons: readonly string[];
}

async function readiness(ops: string): Promise<{ status: number; reasons: readonly string[] }> {
  const response = await fetch(`${ops}/readyz`);
  return { status: response.status, reasons: ((await response.json()) as Readiness).reasons };
}

const call = (api: string, key: string) => fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });

const test = anyTest.skipIf(!CAN_MOUNT);

test('while the disk of the store is full, limited tiers are refused, hypha is answered and readiness says why; when there is space again, all heals and no count is wrong', async () => {
  const disk = new SmallDisk(512 * 1024);
  const DATABASE_URL = `sqlite:${path.join(disk.folder, 'keys.db')}`;
  const service = new ServiceProcess({ DATABASE_URL });
  const [{ api, ops }, hypha] = [await service.ready(), await service.firstKey()];
  const keys = new KeysCommand(DATABASE_URL);
  const { id, key } = await keys.issue();
  expect((await call(api, key)).status).toBe(200);
  expect((await readiness(ops)).status).toBe(200);

  const answers = await askForAll({ api, key: hypha }, MIX);
  disk.fill();
  const [limited, unlimited] = [new Client(api, key), new Client(api, hypha)];
  for (const [request, whole] of answers) {
    const refused = await limited.send(request);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.body.toString())).toMatchObject({ error: { code: 'unavailable' } });
    const { status, body } = await unlimited.send(request);
    expect({ status, isWhole: readWhole(request, body) === whole }).toEqual({ status: 200, isWhole: true });
  }
  limited.close();
  unlimited.close();
  expect(await readiness(ops)).toEqual({
    status: 503,
    reasons: [expect.stringMatching(/^the key store is unavailable: database or disk is full in .*keys\.db/)],
  });
  await service.line(/"problem":"the key store is un[^}]*"request counts could not be/);
  // A command fails with one line and changes nothing.
  await expect(keys.issue()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^keys: .*\n$/),
  });

  disk.clear();
  const clearedMs = performance.now();
  await eventually(async () => expect((await readiness(ops)).status).toBe(200));
  if (IS_LONG) expect(performance.now() - clearedMs).toBeLessThan(HEALED_WITHIN_MS);
  expect((await call(api, key)).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.errors).toBe('');
  expect(await keys.usage()).toEqual(
    new Map([
      [id, 2],
      [expect.any(String), 2 * MIX.length],
    ]),
  );
});

test('where the disk of the store is full at the start, the service says so in one line and does not start', async () => {
  const disk = new SmallDisk(64 * 1024);
  disk.fill();
  const service = new ServiceProcess({ DATABASE_URL: `sqlite:${path.join(disk.folder, 'keys.db')}` });
  expect(await service.exit).toEqual({ code: 1, signal: null });
  expect(service.errors).toMatch(/^nurselog: the key store .*keys\.db of DATABASE_URL cannot be used: .*\n$/);
});
