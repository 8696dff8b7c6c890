import { Worker } from 'node:worker_threads';
import type { Tier } from '../../../accounts/tiers.js';
import type { RowRecords } from '../../../prediction/encoding/row-record.js';
import type { SiteRows } from '../../../prediction/site-rows.js';
import { FairQueue, type Waiting } from '../../../scheduling/fair-queue.js';
import { ApiError } from '../../errors/api-error.js';
import type { Plan } from '../../plan/planner.js';
import type { GenerationData } from '../../serving/per-generation.js';
import type { Cancellation } from '../cancellation.js';
import type { TableRequest } from '../table-contract.js';
import { JobMemory } from './job-memory.js';
import type {
  EncodedPiece,
  OpenedTable,
  TableCall,
  TableNotice,
  TableOrder,
  TableResults,
} from './messages.js';

const WORKER_FILE = new URL('./table-worker.js', import.meta.url);

/** Bodies and answers are outside the heap. */
const MAX_HEAP_MB = 256;

/** Orders that the thread has at a time: it begins the next one while the result of the one before is received. */
const ORDERS_UNDER_WAY = 2;

/** An order that waits for the turn of its key. Each takes some milliseconds. */
interface WaitingOrder extends Waiting {
  readonly message: TableCall;
  readonly transferred: readonly ArrayBuffer[];
}

interface Pending {
  readonly order: WaitingOrder;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** A thread that reads and writes tables, and reads plans. The keys take turns with their orders. */
class TableThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting = new FairQueue<WaitingOrder>();
  #ordersUnderWay = 0;
  #calls = 0;
  /** Why the thread has ended. */
  #end: Error | undefined;

  /** @param onEnd called when the thread has ended, with the error that ended it */
  constructor(context: GenerationData, onEnd: (thread: TableThread, error: Error) => void) {
    this.#worker = new Worker(WORKER_FILE, {
      workerData: context,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    let reason = new Error('the table thread ended');
    this.#worker.on('message', this.#receive);
    this.#worker.on('error', (error) => {
      reason = error as Error;
    });
    this.#worker.on('exit', () => {
      this.#end = reason;
      for (const { reject } of this.#pending.values()) reject(reason);
      this.#pending.clear();
      onEnd(this, reason);
    });
    this.#worker.unref();
  }

  /** @throws ApiError where the body is no table, Error where the thread failed */
  async open(
    keyId: string,
    body: Uint8Array<ArrayBuffer>,
    request: TableRequest,
    jobRows: number,
    closed: Cancellation,
  ): Promise<ThreadTable> {
    const id = this.#calls;
    let latest = id;
    const close = () => {
      this.#giveUp(latest);
      this.#worker.postMessage({ close: id } satisfies TableCall);
    };
    closed.onCancel(close);
    let opened = await this.call<'open'>(keyId, { kind: 'open', body, request, jobRows }, [body.buffer]);
    while (opened === undefined) {
      latest = this.#calls;
      opened = await this.call<'check'>(keyId, { kind: 'check', table: id });
    }
    return new ThreadTable(this, keyId, id, opened);
  }

  /** @throws ApiError where the body is wrong as a whole, Error where the thread failed or `closed` was cancelled */
  async readPlan(keyId: string, body: Uint8Array, tier: Tier, closed: Cancellation): Promise<Plan> {
    const id = this.#calls;
    let latest = id;
    closed.onCancel(() => {
      this.#giveUp(latest);
      this.#worker.postMessage({ close: id } satisfies TableCall);
    });
    let plan = await this.call<'plan'>(keyId, { kind: 'plan', body, tier });
    while (plan === undefined) {
      latest = this.#calls;
      plan = await this.call<'read'>(keyId, { kind: 'read', plan: id });
    }
    return plan;
  }

  /** Gives an order to the thread when it is the turn of its key. @returns its result */
  call<Kind extends TableOrder['kind']>(
    keyId: string,
    order: TableOrder & { kind: Kind },
    transferred: readonly ArrayBuffer[] = [],
  ): Promise<TableResults[Kind]> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const call = this.#calls++;
    const waiting = { keyId, rowCount: 1, message: { call, order }, transferred };
    return new Promise((resolve, reject) => {
      this.#pending.set(call, { order: waiting, resolve, reject });
      this.#waiting.add(waiting);
      this.#giveOrders();
    });
  }

  #giveOrders(): void {
    while (this.#ordersUnderWay < ORDERS_UNDER_WAY) {
      const [next] = this.#waiting.take(1);
      if (next === undefined) return;
      this.#ordersUnderWay++;
      this.#worker.postMessage(next.job.message, next.job.transferred);
    }
  }

  #giveUp(call: number): void {
    const pending = this.#pending.get(call);
    if (pending === undefined) return;
    this.#pending.delete(call);
    this.#waiting.drop(pending.order);
    pending.reject(new Error('the work was given up'));
  }

  /** Ends the thread; pending calls reject. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  readonly #receive = (notice: TableNotice) => {
    this.#ordersUnderWay--;
    this.#giveOrders();
    const pending = this.#pending.get(notice.call);
    this.#pending.delete(notice.call);
    if (notice.kind === 'done') pending?.resolve(notice.result as never);
    else if (notice.kind === 'refused') pending?.reject(new ApiError(notice.error));
    else pending?.reject(notice.error);
  };
}

/** A job of a table: rows of it, those that can be predicted for, and memory for their outcomes. */
export interface TableJobRows {
  readonly from: number;
  readonly count: number;
  readonly memory: number;
  readonly rows: SiteRows;
  readonly records: RowRecords;
}

/** A table that is open in a thread: see OpenTable. At most JOBS_UNDER_WAY of its jobs may be under way. */
export class ThreadTable {
  readonly rowCount: number;
  /** What its answer begins with. */
  readonly head: Uint8Array;
  /** The first row of each job. */
  readonly #starts: Uint32Array;
  readonly #memories: readonly JobMemory[];

  constructor(
    private readonly thread: TableThread,
    private readonly keyId: string,
    private readonly id: number,
    { rowCount, jobs, head, memories, memoryRows, memoryWidth }: OpenedTable,
  ) {
    this.rowCount = rowCount;
    this.#starts = jobs;
    this.head = head;
    this.#memories = memories.map((memory) => new JobMemory(memory, memoryRows, memoryWidth));
  }

  get jobCount(): number {
    return this.#starts.length;
  }

  /** Starts a job; they are started in their order, and use the memories of the table in turn. */
  async sites(job: number): Promise<TableJobRows> {
    const from = this.#starts[job];
    const count = (this.#starts[job + 1] ?? this.rowCount) - from;
    const memory = job % this.#memories.length;
    const { keyId, id: table } = this;
    const sites = await this.thread.call<'sites'>(keyId, { kind: 'sites', table, from, count, memory });
    const rows = this.#memories[memory].rows(sites.count, sites.width);
    return { from, count, memory, rows, records: this.#memories[memory].records(sites.count) };
  }

  /** Encodes the rows of a job, whose outcomes are in its memory. */
  async *encode({ from, count, memory, rows }: TableJobRows): AsyncGenerator<EncodedPiece> {
    const { id: table, keyId, thread } = this;
    const siteCount = rows.count;
    let piece = await thread.call<'encode'>(keyId, { kind: 'encode', table, from, count, memory, siteCount });
    yield piece;
    while (!piece.isLast) {
      piece = await thread.call<'piece'>(keyId, { kind: 'piece', table });
      yield piece;
    }
  }

  tail(): Promise<Uint8Array> {
    return this.thread.call<'tail'>(this.keyId, { kind: 'tail', table: this.id });
  }
}

/**
 * The thread in which the tables of a generation are read and written: the main thread would be busy for a second with the
 * body of one. It starts with the first table, and again with the next one after it died.
 */
export class TableThreads {
  #thread: TableThread | undefined;
  /** What cuts the connection of each table that is open or being opened. */
  readonly #cuts = new Set<() => void>();
  #resolveIdle: (() => void)[] = [];

  /** @param onError called with the error of a thread that died */
  constructor(
    private readonly context: GenerationData,
    private readonly onError: (error: Error) => void,
  ) {}

  /** Tables that are open or being opened. */
  get openTables(): number {
    return this.#cuts.size;
  }

  /**
   * Opens a table.
   * @param keyId the API key whose turn it uses
   * @param body its memory is transferred to the thread
   * @param jobRows rows of a job at most
   * @param closed gives the table back; it must be cancelled in the end, whatever became of the table
   * @param cut ends the connection of the caller, which cancels `closed`
   * @throws ApiError where the body is no table, Error where the thread failed
   */
  async open(
    keyId: string,
    body: Uint8Array<ArrayBuffer>,
    request: TableRequest,
    jobRows: number,
    closed: Cancellation,
    cut: () => void,
  ): Promise<ThreadTable> {
    this.#cuts.add(cut);
    closed.onCancel(() => this.#giveBack(cut));
    this.#thread ??= new TableThread(this.context, this.#end);
    return this.#thread.open(keyId, body, request, jobRows, closed);
  }

  /**
   * Reads the body of a plan. The generation must be kept open meanwhile.
   * @param closed gives the reading up
   * @throws ApiError where the body is wrong as a whole, Error where the thread failed or `closed` was cancelled
   */
  readPlan(keyId: string, body: Uint8Array, tier: Tier, closed: Cancellation): Promise<Plan> {
    this.#thread ??= new TableThread(this.context, this.#end);
    return this.#thread.readPlan(keyId, body, tier, closed);
  }

  /** Ends the connections of the callers whose tables are open. @returns how many */
  cut(): number {
    const cuts = [...this.#cuts];
    for (const cut of cuts) cut();
    return cuts.length;
  }

  /** Resolves when no table is open; none may be opened meanwhile. */
  async idle(): Promise<void> {
    if (this.#cuts.size > 0) await new Promise<void>((resolve) => this.#resolveIdle.push(resolve));
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined; // its end is no failure
    await thread?.end();
  }

  #giveBack(cut: () => void): void {
    this.#cuts.delete(cut);
    if (this.#cuts.size > 0) return;
    for (const resolve of this.#resolveIdle.splice(0)) resolve();
  }

  readonly #end = (thread: TableThread, error: Error) => {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.onError(error);
  };
}
