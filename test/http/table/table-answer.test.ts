import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Cancellation } from '../../../src/http/table/cancellation.js';
import { JobLimit } from '../../../src/http/table/stream/job-limit.js';
import { TableAnswer, TableJobError } from '../../../src/http/table/stream/table-answer.js';
import { TableThreads } from '../../../src/http/table/thread/table-threads.js';
import { BufferPool } from '../../../src/pool/buffer-pool.js';
import { type Job, type JobRequest, Scheduler } from '../../../src/scheduling/scheduler.js';
import { readPredictorData } from '../../../testing/project.js';
import { seededRandom } from '../../../testing/random.js';
import { randomRequests, rowsOf } from '../../prediction/support/site-requests.js';
import { GatedWorkers } from '../../scheduling/support/gated-workers.js';
import { eventually } from '../../support/eventually.js';
import { PREDICT_REQUEST } from '../../support/requests.js';
import { csvOf, readCsv } from '../support/tables.js';
import { contextOf, tableRequest } from './support/answer-table.js';

const ROWS = 60;
/** A job of the table has half of it: 10 rows. */
const QUEUE_LIMIT_SITES = 20;
const KEY = 'key_of_the_table';

const data = readPredictorData();
const body = csvOf(Array.from({ length: ROWS }, (_, row) => ({ row, ...PREDICT_REQUEST })));

/** Records how the jobs that are submitted end, in their order. */
class RecordingScheduler extends Scheduler {
  readonly outcomes: string[] = [];
  /** So many of the next jobs have a deadline that has passed. */
  lateJobs = 0;

  override submit(request: JobRequest): Job {
    const job = super.submit(this.lateJobs-- > 0 ? { ...request, deadlineMs: 0 } : request);
    void job.outcome.then(({ kind }) => this.outcomes.push(kind));
    return job;
  }
}

let workers: GatedWorkers;
let threads: TableThreads;
let scheduler: RecordingScheduler;
let closed: Cancellation;
let caller: { timeoutMs: number } & ConstructorParameters<typeof TableAnswer>[1];

beforeAll(async () => {
  workers = await GatedWorkers.start(1, data);
  threads = new TableThreads(contextOf(data), (error) => {
    throw error;
  });
});
beforeEach(() => {
  scheduler = new RecordingScheduler(workers, new BufferPool(), QUEUE_LIMIT_SITES);
  closed = new Cancellation();
  const limit = new JobLimit(QUEUE_LIMIT_SITES);
  caller = { keyId: KEY, scheduler, limit, timeoutMs: 60_000, closed, onRows: () => {} };
});
afterEach(async () => {
  closed.cancel();
  workers.release();
  await scheduler.idle();
});
afterAll(async () => {
  await threads.close();
  await workers.pool.close();
});

async function startAnswer(): Promise<TableAnswer> {
  const bytes = new Uint8Array(Buffer.from(body));
  const request = tableRequest({ format: 'csv' });
  const table = await threads.open(caller.keyId, bytes, request, caller.limit.rows, closed, () => {});
  const answer = new TableAnswer(table, caller);
  await answer.start();
  return answer;
}

async function read(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read).toString();
}

/** Fills the queue with rows of the table's key, so that each further job of the key is rejected. */
function fillQueue(): Job {
  workers.hold();
  const rows = rowsOf(randomRequests(data, QUEUE_LIMIT_SITES, seededRandom(1)), new Date(), data);
  return scheduler.submit({ keyId: KEY, rows, deadlineMs: performance.now() + 60_000 });
}

const rejections = () => scheduler.outcomes.filter((kind) => kind === 'overloaded').length;

test('rows that are rejected in the middle of a table are submitted again, and the answer is whole', async () => {
  const parts = (await startAnswer()).bytes();
  const first = Buffer.from((await parts.next()).value ?? []);
  fillQueue();
  const rest = read(parts);
  await eventually(() => expect(rejections()).toBeGreaterThanOrEqual(2));
  workers.release();
  const rows = readCsv(String(first) + (await rest));
  expect(rows.map(({ row }) => Number(row))).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect(rows.every(({ survival_5 }) => survival_5 === rows[0].survival_5 && survival_5 !== '')).toBe(true);
});

test('rows that miss their deadline in the middle of a table are submitted again, and the answer is whole', async () => {
  const parts = (await startAnswer()).bytes();
  const first = Buffer.from((await parts.next()).value ?? []);
  workers.hold();
  scheduler.lateJobs = 2;
  const rest = read(parts);
  await eventually(() => expect(scheduler.outcomes.filter((kind) => kind === 'timed-out')).toHaveLength(2));
  workers.release();
  expect(readCsv(String(first) + (await rest))).toHaveLength(ROWS);
});

test('an answer whose rows are rejected for four request timeouts is given up', async () => {
  const parts = (await startAnswer()).bytes();
  await parts.next();
  caller.timeoutMs = 50;
  const waiting = fillQueue();
  const error = await read(parts).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TableJobError);
  expect(error.outcome.kind).toBe('overloaded');
  expect(waiting.isSettled).toBe(false);
});

test('rows of a table whose first ones are rejected are not submitted again', async () => {
  fillQueue();
  const error = await startAnswer().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TableJobError);
  await delay(300); // three times as long as until rows are submitted again
  expect(rejections()).toBe(1);
});

test('rows that wait to be submitted again are not when the caller has hung up', async () => {
  const parts = (await startAnswer()).bytes();
  await parts.next();
  fillQueue();
  const rest = read(parts).catch((thrown) => thrown);
  await eventually(() => expect(rejections()).toBeGreaterThanOrEqual(1));
  closed.cancel();
  expect(await rest).toBeInstanceOf(Error);
  const submitted = scheduler.outcomes.length;
  await delay(300);
  expect(scheduler.outcomes).toHaveLength(submitted);
});
