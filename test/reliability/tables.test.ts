import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { csvOf, postTable, readCsv } from '../http/support/tables.js';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG } from '../support/length.js';
import { readAnswer } from '../support/raw-http.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';
import { WorkerThreads } from '../work/support/worker-threads.js';
import { readMetrics } from './support/metrics.js';
import {
  expectBrokenOff,
  readToEnd,
  sendTable,
  startWideAnswer,
  WIDE_CSV,
  WIDE_ROWS,
} from './support/wide-table.js';

const releases = new Releases();
const threads = new WorkerThreads();
const warnings: string[] = [];
process.on('warning', ({ name }) => warnings.push(name));
let service: TestService;
beforeAll(async () => {
  releases.put(1);
  service = await startTestService(releases.environment);
});
afterAll(async () => {
  await service.stop();
  threads.stopWatching();
  releases.remove();
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});

const startAnswer = () => startWideAnswer(service);

const expectNothingLeft = ({ opsUrl } = service) =>
  eventually(async () => {
    const metrics = await readMetrics(opsUrl);
    expect(metrics.value('nurselog_tables_open')).toBe(0);
    expect(metrics.value('nurselog_jobs_unfinished')).toBe(0);
  });

/** On a busy machine a process may look idle for a while, but hardly in this many readings in a row. */
const READINGS_AT_REST = 10;

/** Waits until no more sites are predicted. @returns how many were */
async function restingSites({ opsUrl } = service): Promise<number> {
  let before = -1;
  let readingsAtRest = 0;
  return eventually(async () => {
    const metrics = await readMetrics(opsUrl);
    const now = metrics.sum('nurselog_sites_total');
    const isResting = now === before && metrics.value('nurselog_jobs_unfinished') === 0;
    before = now;
    readingsAtRest = isResting ? readingsAtRest + 1 : 0;
    await delay(100);
    expect(readingsAtRest).toBeGreaterThanOrEqual(READINGS_AT_REST);
    return now;
  });
}

test('a table whose caller hangs up in the middle of its answer is abandoned at once', async () => {
  const socket = await startAnswer();
  expect((await readMetrics(service.opsUrl)).value('nurselog_tables_open')).toBe(1);
  socket.destroy();
  await expectNothingLeft();
});

test('a table whose caller hangs up before its answer begins is abandoned at once', async () => {
  const socket = await sendTable(service, WIDE_CSV);
  socket.end();
  const { status } = await readAnswer(socket);
  expect(status).toBe(400); // only ends its side, as far as the service can tell
  await expectNothingLeft();
});

test('a table whose caller does not read causes no work, and is cut off after its time limit', async () => {
  const timeoutMs = amount({ short: 60_000, long: 1000 });
  const patient = await startTestService({ REQUEST_TIMEOUT_MS: String(timeoutMs) });
  onTestFinished(() => patient.stop());
  const socket = await startWideAnswer(patient);
  const sites = await restingSites(patient);
  expect(sites).toBeGreaterThan(0);
  expect(sites).toBeLessThan(WIDE_ROWS);
  if (!IS_LONG) {
    socket.destroy(); // or it is waited for
    return; // eight times the request timeout, twice
  }
  await expectNothingLeft(patient);
  expectBrokenOff(await readToEnd(socket));
});

test('a table is answered in full if a worker dies in the middle of it', async () => {
  const socket = await startAnswer();
  await restingSites();
  // The threads are idle, because the answer waits for its reader.
  await threads.terminateOldest();
  const { status, body } = await readAnswer(socket);
  expect(status).toBe(200);
  expect(readCsv(body)).toHaveLength(WIDE_ROWS);
});

test('a table is answered from the models that it began with, although a reload replaces them and its caller closes his side', async () => {
  const socket = await startAnswer();
  releases.put(2);
  service.reload();
  await eventually(async () => {
    const health = (await (await service.get('/v1/health')).json()) as { model: { version: string } };
    expect(health.model.version).toContain('_v2_');
  });
  const next = await postTable(service, csvOf([PREDICT_REQUEST]));
  socket.end();
  const { status, body } = await readAnswer(socket);
  expect(status).toBe(200);
  const rows = readCsv(body);
  expect(rows).toHaveLength(WIDE_ROWS);
  expect(new Set(rows.map(({ survival_5 }) => survival_5)).size).toBe(1);
  expect(readCsv(await next.text())[0].survival_5).not.toBe(rows[0].survival_5);
});
