import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { amount, IS_LONG } from '../support/length.js';
import { ServiceProcess } from '../support/service-process.js';
import { readMetrics } from './support/metrics.js';

/** Of about 300 bytes a line: a pipe holds 200 lines, the service keeps 50,000 more. */
const REQUESTS = amount({ short: 2000, long: 200_000 });
const AT_ONCE = 20;

test('a log that nobody reads delays no request, takes bounded memory, and continues when it is read again', async () => {
  const service = new ServiceProcess();
  const { api, ops } = await service.ready();
  const call = async (count: number) => {
    for (let i = 0; i < count / AT_ONCE; i++) expect((await fetch(`${api}/v1/health`)).status).toBe(200);
  };
  const callAll = () => Promise.all(Array.from({ length: AT_ONCE }, () => call(REQUESTS)));
  const readAgain = service.neglectOutput();
  await callAll();
  if (IS_LONG) {
    await delay(4000); // as long as a dozen tries to write
    expect((await readMetrics(ops)).residentMb).toBeLessThan(350);
  }
  await call(AT_ONCE);
  readAgain();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  // Where lines were dropped, the line that says so may come last.
  expect(service.output.slice(-2).join()).toContain('"msg":"stopped"');
  expect(service.errors).toBe('');
}, 300_000);
