import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { JobError } from '../../../src/work/job.js';
import { SharedMemory } from '../../../src/work/memory/shared-memory.js';
import { RequestSteps } from '../../../src/work/request-steps.js';
import { Scheduler } from '../../../src/work/scheduler.js';
import { checkTable } from '../../../src/work/table-answer.js';
import { readPredictorData } from '../../../testing/project.js';
import { eventually } from '../../support/eventually.js';
import { PREDICT_REQUEST } from '../../support/requests.js';
import { GatedWorkers } from '../../work/support/gated-workers.js';
import { WorkerThreads } from '../../work/support/worker-threads.js';
import { csvOf, readCsv } from '../support/tables.js';
import { tableRequest } from './support/answer-table.js';

const CHUNK_ROWS = 10;
const ROWS = 60;

const memory = new SharedMemory();
const threads = new WorkerThreads();
let workers: GatedWorkers;
let scheduler: Scheduler;
let open: RequestSteps[];
let tables = 0;

beforeAll(async () => {
  workers = await GatedWorkers.start(1, readPredictorData());
});
beforeEach(() => {
  scheduler = new Scheduler(workers, 1000);
  open = [];
  workers.reset();
});
afterEach(async () => {
  for (const steps of open) steps.cancel();
  workers.release();
  await eventually(() => expect(scheduler.isIdle).toBe(true));
});
afterAll(async () => {
  threads.stopWatching();
  await workers.pool.close();
});

/** Checks a table. @param size bytes of notes in all rows, which make the check longer */
function checked(keyId: string, rows = ROWS, size = 0, timeoutMs = 60_000) {
  const sites = Array.from({ length: rows }, (_, row) => ({
    row,
    note: 'n'.repeat(size / rows),
    ...PREDICT_REQUEST,
  }));
  const body = Buffer.from(csvOf(sites));
  const range = memory.take(body.length);
  body.copy(new Uint8Array(range.memory, range.at, range.length));
  const request = tableRequest({ format: 'csv', chunkRows: CHUNK_ROWS });
  const steps = new RequestSteps(keyId, scheduler);
  open.push(steps);
  const options = { chunksUnderWay: 3, timeoutMs, onRows: () => {} };
  return checkTable({ id: tables++, body: range, request }, steps, options);
}

async function start(checking: ReturnType<typeof checked>): Promise<AsyncGenerator<Uint8Array>> {
  return (await checking).start();
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

test('the rows of all chunks are answered once, in their order', async () => {
  const rows = readCsv(await read(await start(checked('ours'))));
  expect(rows.map(({ row }) => Number(row))).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect(rows.every(({ survival_5 }) => survival_5 === rows[0].survival_5 && survival_5 !== '')).toBe(true);
});

test('a table is checked after one step of the large tables of another key, however many of their steps wait', async () => {
  workers.hold();
  const large = Array.from({ length: 3 }, () => checked('theirs', 20_000, 8_000_000));
  const small = checked('ours');
  workers.release();
  await small;
  // A step of theirs, ours, and the step that started when ours ended. The large ones have at least one step each.
  expect(workers.runs.length).toBeLessThanOrEqual(3);
  await Promise.all(large);
});

test('a table whose first chunk gets no worker in time is timed out, and none of its jobs keeps waiting', async () => {
  const table = await checked('ours', ROWS, 0, 30);
  workers.hold();
  await expect(table.start()).rejects.toMatchObject({ kind: 'timed-out' });
  expect(scheduler.unfinishedJobs).toBe(0);
});

test('a later chunk waits for several request timeouts before the answer is cut off', async () => {
  const chunks = await start(checked('ours', ROWS, 0, 500));
  await chunks.next();
  workers.hold();
  const startedMs = performance.now();
  const error = await read(chunks).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(JobError);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(4 * 500 - 1);
});

test('a table that is cancelled starts no further step and releases its body', async () => {
  const chunks = await start(checked('ours'));
  await chunks.next();
  workers.hold();
  const rest = read(chunks).catch((thrown) => thrown);
  const steps = workers.runs.length;
  open[0].cancel();
  expect(await rest).toBeInstanceOf(Error);
  await open[0].released();
  workers.release();
  await eventually(() => expect(scheduler.isIdle).toBe(true));
  expect(workers.runs).toHaveLength(steps);
});

test('a step whose worker dies is repeated by another one', async () => {
  let deaths = 0;
  // A check does not enter onnxruntime, in which the end of a thread would abort the process.
  workers.beforeStart = () => {
    if (deaths++ === 0) void threads.terminateAll();
  };
  expect(readCsv(await read(await start(checked('ours'))))).toHaveLength(ROWS);
});

test('a step whose worker dies each time fails, and the next table is answered', async () => {
  workers.beforeStart = () => void threads.terminateAll();
  await expect(checked('ours')).rejects.not.toBeInstanceOf(JobError);
  workers.reset();
  expect(readCsv(await read(await start(checked('ours', 1))))).toHaveLength(1);
});

test('rows of another key are answered between the steps of a table', async () => {
  const chunks = await start(checked('theirs', 2000));
  workers.reset();
  const rest = read(chunks);
  await chunks.next();
  const small = readCsv(await read(await start(checked('ours', 1))));
  expect(small).toHaveLength(1);
  expect(workers.runs.length).toBeLessThan(2000 / CHUNK_ROWS);
  await rest;
});
