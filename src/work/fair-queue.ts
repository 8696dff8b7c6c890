/** Work that waits: rows that may be taken in several pieces, or a step, which is taken by itself. */
export interface Waiting {
  /** The API key whose turn it uses. */
  readonly keyId: string;
  /** 0 for a step. */
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

/** The waiting jobs of one key, oldest first. */
class KeyQueue<Job extends Waiting> {
  readonly entries: Entry<Job>[] = [];
  rowCount = 0;

  constructor(readonly keyId: string) {}
}

/**
 * A queue in which keys take turns: the rows of a run are shared out evenly among the keys that wait, so a key with a
 * thousand batches delays a single row of another key by one run at most. A step, which takes about as long as a run, is a
 * turn of its key. Within a key, first come, first served.
 */
export class FairQueue<Job extends Waiting> {
  /** Rows that wait; steps are none. */
  rowCount = 0;
  /** The first key has the next turn; every key has jobs. */
  readonly #keys = new Map<string, KeyQueue<Job>>();

  add(job: Job): void {
    let key = this.#keys.get(job.keyId);
    if (key === undefined) {
      key = new KeyQueue(job.keyId);
      this.#keys.set(job.keyId, key);
    }
    key.entries.push({ job, taken: 0 });
    this.#count(key, job.rowCount);
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** Takes up to `maxRows` rows, of as many jobs as that needs, or one step. */
  take(maxRows: number): Piece<Job>[] {
    const pieces: Piece<Job>[] = [];
    let left = maxRows;
    while (left > 0 && !this.isEmpty) {
      const share = Math.ceil(Math.min(left, this.rowCount) / this.#keys.size);
      for (const key of [...this.#keys.values()]) {
        if (left === 0) break;
        const isStep = key.entries[0].job.rowCount === 0;
        if (isStep && pieces.length > 0) return pieces;
        this.#keys.delete(key.keyId);
        if (isStep) pieces.push(this.#takeStep(key));
        else left -= this.#takeFrom(key, Math.min(share, left), pieces);
        if (key.entries.length > 0) this.#keys.set(key.keyId, key);
        if (isStep) return pieces;
      }
    }
    return pieces;
  }

  /** Removes the rows of a job that still wait. */
  drop(job: Job): void {
    const key = this.#keys.get(job.keyId);
    const index = key?.entries.findLastIndex((entry) => entry.job === job) ?? -1;
    if (key === undefined || index === -1) return;
    const [{ taken }] = key.entries.splice(index, 1);
    this.#count(key, taken - job.rowCount);
    if (key.entries.length === 0) this.#keys.delete(key.keyId);
  }

  /**
   * The newest job of which no row was taken, of the key that has most rows waiting among those with such a job, the
   * first of equals; undefined where there is none.
   */
  newestOfLargest(): Job | undefined {
    let newest: Job | undefined;
    let mostRows = 0;
    for (const { entries, rowCount } of this.#keys.values()) {
      if (rowCount <= mostRows) continue;
      const last = entries.findLast(({ job }) => job.rowCount > 0);
      if (last === undefined || last.taken > 0) continue;
      newest = last.job;
      mostRows = rowCount;
    }
    return newest;
  }

  /** Whether no other key has more rows waiting than this one. */
  hasMost(keyId: string): boolean {
    const own = this.#keys.get(keyId)?.rowCount ?? 0;
    for (const { rowCount } of this.#keys.values()) if (rowCount > own) return false;
    return true;
  }

  /** Every job that waits. */
  *jobs(): Generator<Job> {
    for (const { entries } of this.#keys.values()) for (const { job } of entries) yield job;
  }

  #takeStep(key: KeyQueue<Job>): Piece<Job> {
    const [{ job }] = key.entries.splice(0, 1);
    return { job, firstRow: 0, count: 0 };
  }

  #takeFrom(key: KeyQueue<Job>, share: number, pieces: Piece<Job>[]): number {
    let taken = 0;
    let finished = 0;
    while (finished < key.entries.length && taken < share) {
      const entry = key.entries[finished];
      if (entry.job.rowCount === 0) break;
      const count = Math.min(share - taken, entry.job.rowCount - entry.taken);
      pieces.push({ job: entry.job, firstRow: entry.taken, count });
      entry.taken += count;
      taken += count;
      if (entry.taken === entry.job.rowCount) finished++;
    }
    key.entries.splice(0, finished);
    this.#count(key, -taken);
    return taken;
  }

  #count(key: KeyQueue<Job>, rows: number): void {
    key.rowCount += rows;
    this.rowCount += rows;
  }
}
