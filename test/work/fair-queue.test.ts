import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SiteRows } from '../../src/prediction/site-rows.js';
import { FairQueue } from '../../src/work/fair-queue.js';
import { Job } from '../../src/work/job.js';
import { forAll } from '../support/for-all.js';

// Queues of rows alone are tested with the scheduler: see scheduler-model.test.ts.

const keyId = fc.constantFrom('a', 'b', 'c', 'd');
const rowCount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 500 }));
const add = (queue: FairQueue, key: string, rows: number) => {
  const job = new Job({ keyId: key, deadlineMs: Infinity, rows: new SiteRows(rows) }, () => {});
  queue.add(job);
  return job;
};

test('a single row leaves in the next run, whatever another key has queued', () => {
  const flood = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 });
  forAll(100, [flood, fc.nat(10), fc.integer({ min: 2, max: 250 })], (rowCounts, runsBefore, maxRows) => {
    const queue = new FairQueue();
    for (const rows of rowCounts) add(queue, 'flooder', rows);
    for (let run = 0; run < runsBefore; run++) queue.take(maxRows);
    const single = add(queue, 'other', 1);
    for (const rows of rowCounts) add(queue, 'flooder', rows);
    expect(queue.take(maxRows).map(({ job }) => job)).toContain(single);
  });
});

test('a batch leaves in one run while another key has steps, and is not halved in every turn', () => {
  const queue = new FairQueue();
  add(queue, 'batch', 500);
  add(queue, 'table', 0);
  expect(queue.take(500).map(({ count }) => count)).toEqual([500]);
  expect(queue.take(500).map(({ count }) => count)).toEqual([0]);
  expect(queue.isEmpty).toBe(true);
});

test('rows and steps in any order keep the order of their key, a step comes alone, and no key waits for two turns of another', () => {
  const work = fc.record({ keyId, rowCount: fc.oneof(fc.constant(0), rowCount) });
  const works = fc.array(work, { minLength: 1, maxLength: 40 });
  forAll(1000, [works, fc.integer({ min: 1, max: 250 })], (all, max) => {
    const queue = new FairQueue();
    const jobs = all.map(({ keyId: key, rowCount: rows }) => add(queue, key, rows));
    const taken = new Map<Job, number>();
    const isDone = new Set<Job>();
    /** Turns of others since the turn of a key that waits. */
    const waited = new Map<string, string[]>();
    while (!queue.isEmpty) {
      const slices = queue.take(max);
      expect(slices.length).toBeGreaterThan(0);
      const isStep = slices.some(({ job }) => job.rowCount === 0);
      if (isStep) expect(slices).toHaveLength(1);
      expect(slices.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(max);
      for (const { job, firstRow, count } of slices) {
        const oldest = jobs.find((each) => each.request.keyId === job.request.keyId && !isDone.has(each));
        expect(job).toBe(oldest);
        expect(firstRow).toBe(taken.get(job) ?? 0);
        taken.set(job, firstRow + count);
        if (firstRow + count === job.rowCount) isDone.add(job);
      }
      const served = new Set(slices.map(({ job }) => job.request.keyId));
      const waiting = new Set(jobs.filter((job) => !isDone.has(job)).map(({ request }) => request.keyId));
      for (const key of waiting) {
        if (served.has(key)) waited.delete(key);
        else waited.set(key, [...(waited.get(key) ?? []), ...served]);
        const turns = waited.get(key) ?? [];
        // Rows of the same turn as another key's count as one.
        if (isStep) expect(turns.length - new Set(turns).size).toBeLessThanOrEqual(1);
      }
    }
    expect(isDone.size).toBe(jobs.length);
  });
});
