import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from '../../src/work/fair-queue.js';

/** A job whose rows know what became of them. */
class TestJob implements Waiting {
  takenRows = 0;
  /** Rows that the queue gave. */
  taken = 0;
  dropped = false;

  constructor(
    readonly keyId: string,
    readonly rowCount: number,
  ) {}
}

type Step =
  | { readonly do: 'add'; readonly keyId: string; readonly rowCount: number }
  | { readonly do: 'take'; readonly maxRows: number }
  | { readonly do: 'drop'; readonly job: number };

const keyId = fc.constantFrom('a', 'b', 'c', 'd');
const rowCount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 500 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add'), keyId, rowCount }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take'), maxRows: fc.integer({ min: 1, max: 250 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), job: fc.nat(30) }) },
);

const add = (queue: FairQueue<TestJob>, key: string, rows: number) => {
  const job = new TestJob(key, rows);
  queue.add(job);
  return job;
};

const waitingRows = (jobs: readonly TestJob[]) =>
  jobs.reduce((sum, { dropped, rowCount: rows, taken }) => sum + (dropped ? 0 : rows - taken), 0);

test('The fair queue neither loses nor repeats a row, keeps the order within a key and gives as many rows as it is asked for.', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<TestJob>();
      const jobs: TestJob[] = [];
      for (const what of steps) {
        if (what.do === 'add') {
          jobs.push(add(queue, what.keyId, what.rowCount));
        } else if (what.do === 'drop' && jobs.length > 0) {
          const job = jobs[what.job % jobs.length];
          queue.drop(job);
          job.dropped = true;
        } else if (what.do === 'take') {
          takeAndCheck(queue, jobs, what.maxRows);
        }
        expect(queue.rowCount).toBe(waitingRows(jobs));
      }
      // What is left comes out as well, and then nothing.
      while (queue.rowCount > 0) takeAndCheck(queue, jobs, 250);
      expect(waitingRows(jobs)).toBe(0);
      expect(queue.take(250)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test('A run is shared evenly among the keys that wait, as far as each has rows.', () => {
  const waiting = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(waiting, fc.integer({ min: 6, max: 250 }), (rowsOfKeys, maxRows) => {
      const queue = new FairQueue<TestJob>();
      const jobs = rowsOfKeys.map((rows, key) => add(queue, String(key), rows));
      const got = new Map<TestJob, number>(jobs.map((job) => [job, 0]));
      for (const { job, count } of queue.take(maxRows)) got.set(job, got.get(job)! + count);
      const unserved = jobs.filter((job) => got.get(job)! < job.rowCount).map((job) => got.get(job)!);
      // Keys that still wait got as much as each other, to the row, and as much as any that is done.
      if (unserved.length > 0) {
        expect(Math.max(...got.values()) - Math.min(...unserved)).toBeLessThanOrEqual(rowsOfKeys.length);
      }
    }),
    { numRuns: 1000 },
  );
});

test('A single row of another key leaves in the next run, whatever a key has queued.', () => {
  const flood = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(flood, fc.nat(10), fc.integer({ min: 2, max: 250 }), (rowCounts, runsBefore, maxRows) => {
      const queue = new FairQueue<TestJob>();
      for (const rows of rowCounts) add(queue, 'flooder', rows);
      for (let run = 0; run < runsBefore; run++) queue.take(maxRows);
      const single = add(queue, 'other', 1);
      for (const rows of rowCounts) add(queue, 'flooder', rows);
      expect(queue.take(maxRows).map(({ job }) => job)).toContain(single);
    }),
  );
});

test('Keys take turns also when each run holds a single row.', () => {
  const queue = new FairQueue<TestJob>();
  for (const key of ['a', 'b', 'c']) add(queue, key, 3);
  const order = Array.from({ length: 9 }, () => queue.take(1)[0].job.keyId);
  expect(order.join('')).toBe('abcabcabc');
});

test('Dropping a job removes the rows of it that wait, and dropping one that does not wait changes nothing.', () => {
  const queue = new FairQueue<TestJob>();
  const [first, second] = [add(queue, 'a', 10), add(queue, 'a', 5)];
  queue.take(4);
  queue.drop(first);
  expect(queue.rowCount).toBe(5);
  queue.drop(first);
  queue.drop(new TestJob('a', 7));
  queue.drop(new TestJob('nobody', 7));
  expect(queue.take(100)).toEqual([{ job: second, firstRow: 0, count: 5 }]);
  queue.drop(second);
  expect(queue.rowCount).toBe(0);
});

test('The newest untouched job of the key with most waiting rows is found, and whether a key has most.', () => {
  const jobSizes = fc.array(fc.tuple(keyId, rowCount), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(jobSizes, fc.nat(400), (sizes, taken) => {
      const queue = new FairQueue<TestJob>();
      const jobs = sizes.map(([key, rows]) => add(queue, key, rows));
      for (const { job, count } of queue.take(taken)) job.taken += count;
      const rowsOf = (key: string) => waitingRows(jobs.filter((job) => job.keyId === key));
      const most = Math.max(...jobs.map((job) => rowsOf(job.keyId)));
      const newestOf = (key: string) => jobs.findLast((job) => job.keyId === key && job.taken === 0);
      const untaken = ['a', 'b', 'c', 'd'].filter((key) => newestOf(key) !== undefined);
      const newest = queue.newestOfLargest();
      expect(rowsOf(newest?.keyId ?? 'nobody')).toBe(Math.max(0, ...untaken.map(rowsOf)));
      expect(newest).toBe(newestOf(newest?.keyId ?? 'nobody'));
      for (const key of ['a', 'b', 'c', 'd', 'nobody']) expect(queue.hasMost(key)).toBe(rowsOf(key) === most);
    }),
  );
});

/** Takes a run and holds it against the jobs: the next rows of each, oldest job of a key first, as many as may be. */
function takeAndCheck(queue: FairQueue<TestJob>, jobs: readonly TestJob[], maxRows: number): void {
  const expected = Math.min(maxRows, waitingRows(jobs));
  let rows = 0;
  for (const { job, firstRow, count } of queue.take(maxRows)) {
    const oldest = jobs.find((j) => j.keyId === job.keyId && !j.dropped && j.taken < j.rowCount);
    expect(job).toBe(oldest);
    expect(firstRow).toBe(job.taken);
    expect(count).toBeGreaterThan(0);
    job.taken += count;
    expect(job.taken).toBeLessThanOrEqual(job.rowCount);
    rows += count;
  }
  expect(rows).toBe(expected);
}

test('Among rows and steps in any order, a step comes alone, nothing is lost or passed within a key, and no key waits for two turns of another.', () => {
  const work = fc.record({ keyId, rowCount: fc.oneof(fc.constant(0), rowCount) });
  fc.assert(
    fc.property(
      fc.array(work, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 250 }),
      (all, max) => {
        const queue = new FairQueue<TestJob>();
        const jobs = all.map(({ keyId: key, rowCount: rows }) => add(queue, key, rows));
        const isDone = new Set<TestJob>();
        /** Turns of others since the turn of a key that waits. */
        const waited = new Map<string, string[]>();
        while (!queue.isEmpty) {
          const pieces = queue.take(max);
          expect(pieces.length).toBeGreaterThan(0);
          const isStep = pieces.some(({ job }) => job.rowCount === 0);
          if (isStep) expect(pieces).toHaveLength(1);
          expect(pieces.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(max);
          for (const { job, firstRow, count } of pieces) {
            const oldest = jobs.find((each) => each.keyId === job.keyId && !isDone.has(each));
            expect(job).toBe(oldest);
            expect(firstRow).toBe(job.taken);
            job.taken += count;
            if (job.taken === job.rowCount) isDone.add(job);
          }
          const served = new Set(pieces.map(({ job }) => job.keyId));
          const waiting = new Set(jobs.filter((job) => !isDone.has(job)).map(({ keyId: key }) => key));
          for (const key of waiting) {
            if (served.has(key)) waited.delete(key);
            else waited.set(key, [...(waited.get(key) ?? []), ...served]);
            const turns = waited.get(key) ?? [];
            // Rows of the same turn as another key's count as one.
            if (isStep) expect(turns.length - new Set(turns).size).toBeLessThanOrEqual(1);
          }
        }
        expect(isDone.size).toBe(jobs.length);
      },
    ),
    { numRuns: 1000 },
  );
});
