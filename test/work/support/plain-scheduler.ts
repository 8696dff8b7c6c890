import { expect } from 'vitest';
import type { JobError } from '../../../src/work/job.js';
import type { Run } from '../../../src/work/scheduler.js';

/** A run with the rows that were written for it. */
export interface StartedRun {
  readonly run: Run;
  readonly rows: readonly { readonly job: number; readonly row: number }[];
}

export interface PlainJob {
  readonly keyId: string;
  readonly rowCount: number;
  readonly deadlineMs: number;
  kind: 'open' | 'answered' | 'failed' | JobError['kind'];
  started: number;
  answered: number;
}

/** A plain implementation of the scheduler; its expectations fail if the scheduler acts differently. */
export class PlainScheduler {
  readonly jobs: PlainJob[] = [];
  /** Keys with waiting rows in the order of their turns. */
  #turns: string[] = [];
  readonly #seen = new Set<Run>();
  /** Rows to start again, with the number of their failures. */
  #failed: { readonly rows: StartedRun['rows']; readonly failures: number }[] = [];
  readonly #failures = new Map<Run, number>();

  constructor(
    readonly limit: number,
    readonly maxRunRows: number,
  ) {}

  get waitingSites(): number {
    return this.jobs.reduce((sum, job) => sum + waitingRows(job), 0);
  }

  wouldReject(keyId: string, arriving: ReadonlyMap<string, number>): boolean {
    const sitesOf = (key: string) => this.#waitingOf(key) + (arriving.get(key) ?? 0);
    const sites = [...new Set([keyId, ...this.#turns, ...arriving.keys()])].map(sitesOf);
    const isFull =
      this.waitingSites >= this.limit / 8 && sites.reduce((sum, each) => sum + each) >= this.limit;
    return isFull && Math.max(...sites) === sitesOf(keyId);
  }

  submit(keyId: string, rowCount: number, deadlineMs: number, started: readonly StartedRun[]): void {
    this.jobs.push({ keyId, rowCount, deadlineMs, kind: 'open', started: 0, answered: 0 });
    if (!this.#turns.includes(keyId)) this.#turns.push(keyId);
    this.observe(started);
    while (this.waitingSites > this.limit) {
      // Rows that were started stay; of the others, the newest of the key with most is shed.
      const newestOf = (key: string) =>
        this.jobs.findLastIndex((job) => job.keyId === key && waitingRows(job) > 0);
      const keys = this.#turns.filter((key) => this.jobs[newestOf(key)].started === 0);
      const most = Math.max(...keys.map((key) => this.#waitingOf(key)));
      const key = keys.find((each) => this.#waitingOf(each) === most);
      if (key === undefined) break;
      this.settle(newestOf(key), 'overloaded');
    }
  }

  /** Ends an open job, whose waiting rows no longer count. */
  settle(job: number, kind: PlainJob['kind']): void {
    if (this.jobs[job].kind === 'open') this.jobs[job].kind = kind;
    this.#dropIdleKeys();
  }

  expire(nowMs: number): void {
    this.jobs.forEach(({ deadlineMs }, job) => {
      if (deadlineMs <= nowMs) this.settle(job, 'timed-out');
    });
  }

  answer({ rows }: StartedRun): void {
    for (const { job } of rows) {
      this.jobs[job].answered++;
      if (this.jobs[job].answered === this.jobs[job].rowCount) this.settle(job, 'answered');
    }
  }

  /** The rows of a run that fails are started once more, those of each job by themselves after that; then the job fails. */
  fail({ run, rows }: StartedRun): void {
    const failures = 1 + (this.#failures.get(run) ?? 0);
    if (failures === 1) this.#failed.push({ rows, failures });
    else
      for (const job of new Set(rows.map((row) => row.job))) {
        if (failures === 3) this.settle(job, 'failed');
        else this.#failed.push({ rows: rows.filter((row) => row.job === job), failures });
      }
  }

  /** Compares the runs that were started since the last call with the expected ones. */
  observe(started: readonly StartedRun[]): void {
    for (const each of started) {
      if (this.#seen.has(each.run)) continue;
      this.#seen.add(each.run);
      const [retry] = this.#toRetry;
      if (retry === undefined) this.#take(each);
      else {
        expect(each.rows).toEqual(retry.rows);
        this.#failures.set(each.run, retry.failures);
        this.#failed = this.#failed.filter((failed) => failed !== retry);
      }
    }
  }

  /** Nothing may wait while a run could start. */
  check(freeSlots: number): void {
    if (freeSlots > 0) expect({ waiting: this.waitingSites, toRetry: this.#toRetry.length }).toEqual(NOTHING);
  }

  get #toRetry() {
    return this.#failed.filter(({ rows }) => rows.some(({ job }) => this.jobs[job].kind === 'open'));
  }

  #take({ rows }: StartedRun): void {
    expect(rows.length).toBeLessThanOrEqual(this.maxRunRows);
    const keys = this.#turns.length;
    const taken = new Map(this.#turns.map((key) => [key, 0]));
    let previous: string | undefined;
    for (const { job, row } of rows) {
      const { keyId } = this.jobs[job];
      const oldest = this.jobs.findIndex((each) => each.keyId === keyId && waitingRows(each) > 0);
      expect({ job, row }).toEqual({ job: oldest, row: this.jobs[oldest].started });
      this.jobs[job].started++;
      taken.set(keyId, (taken.get(keyId) ?? 0) + 1);
      if (keyId !== previous) this.#turns = [...this.#turns.filter((key) => key !== keyId), keyId];
      previous = keyId;
    }
    this.#dropIdleKeys();
    // A key that still waits got as many rows as any other, up to the rounding of shares.
    const ofWaiting = this.#turns.map((key) => taken.get(key) ?? 0);
    if (ofWaiting.length > 0)
      expect(Math.max(...taken.values()) - Math.min(...ofWaiting)).toBeLessThanOrEqual(keys);
  }

  #waitingOf(keyId: string): number {
    return this.jobs.reduce((sum, job) => sum + (job.keyId === keyId ? waitingRows(job) : 0), 0);
  }

  #dropIdleKeys(): void {
    this.#turns = this.#turns.filter((key) => this.#waitingOf(key) > 0);
  }
}

const NOTHING = { waiting: 0, toRetry: 0 };

function waitingRows({ kind, rowCount, started }: PlainJob): number {
  return kind === 'open' ? rowCount - started : 0;
}
