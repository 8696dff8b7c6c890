import type { Job } from './job.js';

/** Rows [firstRow, firstRow + count) of a job; `count` is 0 for a step. */
export interface JobSlice {
  readonly job: Job;
  readonly firstRow: number;
  readonly count: number;
}

/** The waiting jobs of one key, oldest first. */
interface KeyQueue {
  readonly jobs: Job[];
  rowCount: number;
}

/**
 * A queue in which keys take turns. A run takes rows in equal shares from the keys that wait, up to the next step in the
 * queue, so a key with a thousand batches delays a single row of another key by at most one run. A step takes about as
 * long as a run and is one turn of its key. Within a key, first come, first served.
 */
export class FairQueue {
  /** Rows that wait; steps do not count. */
  rowCount = 0;
  /** The first key has the next turn; every key has jobs. */
  readonly #keys = new Map<string, KeyQueue>();

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  add(job: Job): void {
    const { keyId } = job.request;
    const key: KeyQueue = this.#keys.get(keyId) ?? { jobs: [], rowCount: 0 };
    this.#keys.set(keyId, key);
    key.jobs.push(job);
    this.#count(key, job.rowCount);
  }

  /** Takes up to `maxRows` rows, of as many jobs as that needs, or one step. */
  take(maxRows: number): JobSlice[] {
    const slices: JobSlice[] = [];
    let left = maxRows;
    while (left > 0 && !this.isEmpty) {
      const keys = [...this.#keys];
      const step = keys.findIndex(([, { jobs }]) => jobs[0].rowCount === 0); // where a run of rows ends
      const share = Math.ceil(Math.min(left, this.rowCount) / (step === -1 ? keys.length : step));
      for (const [index, [keyId, key]] of keys.entries()) {
        if (left === 0) break;
        const isStep = index === step;
        if (isStep && slices.length > 0) return slices;
        this.#keys.delete(keyId);
        if (isStep) slices.push({ job: key.jobs.shift() as Job, firstRow: 0, count: 0 });
        else left -= this.#takeRows(key, Math.min(share, left), slices);
        if (key.jobs.length > 0) this.#keys.set(keyId, key);
        if (isStep) return slices;
      }
    }
    return slices;
  }

  /** Removes the waiting rows or the step of a job. */
  drop(job: Job): void {
    const key = this.#keys.get(job.request.keyId);
    const index = key?.jobs.lastIndexOf(job) ?? -1;
    if (key === undefined || index === -1) return;
    key.jobs.splice(index, 1);
    this.#count(key, job.takenRows - job.rowCount);
    if (key.jobs.length === 0) this.#keys.delete(job.request.keyId);
  }

  /**
   * The newest job with rows of the key with most rows waiting, the first of equal keys. Skips keys whose newest job
   * has begun; undefined if no other key has any.
   */
  newestOfLargest(): Job | undefined {
    let newest: Job | undefined;
    let mostRows = 0;
    for (const { jobs, rowCount } of this.#keys.values()) {
      const last = rowCount > mostRows ? jobs.findLast((job) => job.rowCount > 0) : undefined;
      if (last === undefined || last.takenRows > 0) continue;
      newest = last;
      mostRows = rowCount;
    }
    return newest;
  }

  /** Whether no other key has more rows waiting or arriving than this one. */
  hasMost(keyId: string, arriving: ReadonlyMap<string, number>): boolean {
    const rowsOf = (key: string) => (this.#keys.get(key)?.rowCount ?? 0) + (arriving.get(key) ?? 0);
    const own = rowsOf(keyId);
    return [...this.#keys.keys(), ...arriving.keys()].every((key) => rowsOf(key) <= own);
  }

  #takeRows(key: KeyQueue, share: number, slices: JobSlice[]): number {
    let taken = 0;
    let finished = 0;
    while (finished < key.jobs.length && taken < share) {
      const job = key.jobs[finished];
      if (job.rowCount === 0) break;
      const count = Math.min(share - taken, job.rowCount - job.takenRows);
      slices.push({ job, firstRow: job.takenRows, count });
      job.takenRows += count;
      taken += count;
      if (job.takenRows === job.rowCount) finished++;
    }
    key.jobs.splice(0, finished);
    this.#count(key, -taken);
    return taken;
  }

  #count(key: KeyQueue, rows: number): void {
    key.rowCount += rows;
    this.rowCount += rows;
  }
}
