import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectBrokenOff, readToEnd, startWideAnswer } from '../reliability/support/wide-table.js';
import { expectError } from '../support/error-body.js';
import type { Releases } from '../support/releases.js';
import { startOnReleases } from '../support/service-on-releases.js';

const LAST_CHUNK = '\r\n0\r\n\r\n';

test('models are kept for the tables of the last two reloads; a further reload cuts off older tables, logs how many, and answers who waits for a file of a surface with 503', async () => {
  // The file takes longer than the reloads.
  const slow = (releases: Releases) => void releases.replaceModels({ idleProducts: 2 });
  const { service, api, key, reload } = await startOnReleases({ REQUEST_TIMEOUT_MS: '600000' }, slow);
  const threads = () => readdirSync(`/proc/${service.pid}/task`).length;
  const sender = { apiUrl: api, key };
  const tables = [await startWideAnswer(sender), await startWideAnswer(sender)];
  const file = fetch(`${api}/v1/surfaces/PSME?f=tif`, { headers: { 'x-api-key': key } });
  for (const release of [2, 3]) {
    await reload(release);
    tables.push(await startWideAnswer(sender));
  }
  const threadsOfThree = threads();
  const cutOff =
    /"level":40,.*"tables":(\d+),"msg":"tables and surfaces that began more than 2 reloads ago were cut off"/;
  expect(service.output.filter((line) => cutOff.test(line))).toEqual([]);

  await reload(4);
  expect(cutOff.exec(await service.line(cutOff))?.[1]).toBe('3');
  const waiting = await file;
  expect(waiting.headers.get('retry-after')).toBe('1');
  expect((await expectError(waiting, 503, 'overloaded')).message).toMatch(/^The models changed/);
  tables.push(await startWideAnswer(sender));
  await reload(5);
  expect(cutOff.exec(await service.line(cutOff, 2))?.[1]).toBe('1');

  const answers = await Promise.all(tables.map(readToEnd));
  for (const answer of answers.slice(0, 3)) expectBrokenOff(answer);
  for (const answer of answers.slice(3)) expect(answer.subarray(-7).toString()).toBe(LAST_CHUNK);
  expect(threads()).toBeLessThanOrEqual(threadsOfThree);
});
