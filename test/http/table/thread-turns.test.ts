import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cancellation } from '../../../src/http/table/cancellation.js';
import { TableThreads } from '../../../src/http/table/thread/table-threads.js';
import { readPredictorData } from '../../../testing/project.js';
import { PREDICT_REQUEST } from '../../support/requests.js';
import { csvOf } from '../support/tables.js';
import { contextOf, tableRequest } from './support/answer-table.js';

const JOB_ROWS = 1;
const ROWS = 20;

let threads: TableThreads;
const closed = new Cancellation();

beforeAll(() => {
  threads = new TableThreads(contextOf(readPredictorData()), (error) => {
    throw error;
  });
});
afterAll(async () => {
  closed.cancel();
  await threads.close();
});

/** Opens a table with a job for each row. @param size bytes more, which take longer to check */
function open(keyId: string, rows = ROWS, size = 0) {
  const csv = csvOf(
    Array.from({ length: rows }, () => ({ note: 'n'.repeat(size / rows), ...PREDICT_REQUEST })),
  );
  const request = tableRequest({ format: 'csv' });
  return threads.open(keyId, new Uint8Array(Buffer.from(csv)), request, JOB_ROWS, closed, () => {});
}

test('an order of another key waits for two orders under way and one more of a key that has many', async () => {
  const [ours, theirs] = [await open('ours'), await open('theirs')];
  const ended: string[] = [];
  const flood = Array.from({ length: ROWS }, async (_, job) => {
    await theirs.sites(job);
    ended.push('theirs');
  });
  await ours.sites(0);
  ended.push('ours');
  await Promise.all(flood);
  expect(ended.indexOf('ours')).toBeLessThanOrEqual(3);
});

test('a table is opened between the steps of the checks of large ones', async () => {
  const ended: string[] = [];
  const large = Array.from({ length: 3 }, async () => {
    await open('theirs', 20_000, 8_000_000);
    ended.push('large');
  });
  await open('ours');
  ended.push('small');
  await Promise.all(large);
  expect(ended).toEqual(['small', 'large', 'large', 'large']);
});

test('a table that is given up before its turn is not opened, and others are', async () => {
  const before = Array.from({ length: 4 }, () => open('theirs', 2_000, 1_000_000));
  const givenUp = new Cancellation();
  const body = new Uint8Array(Buffer.from(csvOf([PREDICT_REQUEST])));
  const refused = threads.open('theirs', body, tableRequest({ format: 'csv' }), JOB_ROWS, givenUp, () => {});
  givenUp.cancel();
  await expect(refused).rejects.toThrow('the work was given up');
  expect(body.byteLength).toBeGreaterThan(0); // it never went to the thread
  for (const table of await Promise.all(before)) expect(table.rowCount).toBe(2_000);
});
