/** Work that waits: rows that may be taken piece by piece. */
export interface Waiting {
  /** Whose turn it uses. */
  readonly keyId: string;
  readonly rowCount: number;
}

/** Rows [firstRow, firstRow + count) of a job. */
export interface Piece<Job> {
  readonly job: Job;
  readonly firstRow: number;
  readonly count: number;
}

interface Entry<Job> {
  readonly job: Job;
  taken: number;
}

/**
 * A queue in which keys take turns: each run of rows is shared out evenly among the keys that wait, so a key with a
 * thousand batches delays another key's single row by one run at most. Within a key, first come first served.
 */
export class FairQueue<Job extends Waiting> {
  /** Rows that wait. */
  rowCount = 0;
  /** The first key is the next to have its turn; its jobs are never none. */
  readonly #jobsByKey = new Map<string, Entry<Job>[]>();

  add(job: Job): void {
    const entry = { job, taken: 0 };
    const jobs = this.#jobsByKey.get(job.keyId);
    if (jobs === undefined) this.#jobsByKey.set(job.keyId, [entry]);
    else jobs.push(entry);
    this.rowCount += job.rowCount;
  }

  /** Takes up to `maxRows` rows, of as many jobs as it needs. */
  take(maxRows: number): Piece<Job>[] {
    const pieces: Piece<Job>[] = [];
    let room = Math.min(maxRows, this.rowCount);
    while (room > 0) {
      const keys = this.#jobsByKey.size;
      const share = Math.ceil(room / keys);
      for (let turn = 0; turn < keys && room > 0; turn++) {
        const [keyId, jobs] = this.#jobsByKey.entries().next().value!;
        this.#jobsByKey.delete(keyId);
        room -= this.#takeFrom(jobs, Math.min(share, room), pieces);
        if (jobs.length > 0) this.#jobsByKey.set(keyId, jobs);
      }
    }
    return pieces;
  }

  /** Removes what still waits of a job: its caller is gone. */
  drop(job: Job): void {
    const jobs = this.#jobsByKey.get(job.keyId);
    const index = jobs?.findLastIndex((entry) => entry.job === job) ?? -1;
    if (jobs === undefined || index === -1) return;
    this.rowCount -= job.rowCount - jobs[index].taken;
    jobs.splice(index, 1);
    if (jobs.length === 0) this.#jobsByKey.delete(job.keyId);
  }

  /** Where more than `limit` rows wait, drops a job of the key that has most of them: the newest. @returns that job */
  shed(limit: number): Job | undefined {
    if (this.rowCount <= limit) return undefined;
    let most: Entry<Job>[] = [];
    for (const jobs of this.#jobsByKey.values()) if (jobs.length > most.length) most = jobs;
    const { job } = most.at(-1)!;
    this.drop(job);
    return job;
  }

  /** Whether no other key has more jobs waiting than this one. */
  hasMost(keyId: string): boolean {
    const own = this.#jobsByKey.get(keyId)?.length ?? 0;
    return [...this.#jobsByKey.values()].every(({ length }) => length <= own);
  }

  #takeFrom(jobs: Entry<Job>[], share: number, pieces: Piece<Job>[]): number {
    let taken = 0;
    let finished = 0;
    while (finished < jobs.length && taken < share) {
      const entry = jobs[finished];
      const count = Math.min(share - taken, entry.job.rowCount - entry.taken);
      pieces.push({ job: entry.job, firstRow: entry.taken, count });
      entry.taken += count;
      taken += count;
      if (entry.taken === entry.job.rowCount) finished++;
    }
    jobs.splice(0, finished);
    this.rowCount -= taken;
    return taken;
  }
}
