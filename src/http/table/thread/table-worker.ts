import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { adjustmentWidth } from '../../../prediction/conditions/adjustments.js';
import { ApiError, type ErrorCode } from '../../errors/api-error.js';
import { readPlan } from '../../plan/planner.js';
import type { GenerationData } from '../../serving/per-generation.js';
import { openTable } from '../open-table.js';
import type { OpenTable, Pieces } from '../table-contract.js';
import { JOBS_UNDER_WAY, JobMemory } from './job-memory.js';
import type { TableCall, TableNotice, TableOrder, TableResults } from './messages.js';

/** Steps of Linux's scale of priorities, from -20, served first, to 19. */
const BELOW_OTHER_THREADS = 5;
const LOWEST_PRIORITY = 19;

// The main thread has the processor first. Elsewhere than on Linux this would be the priority of the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(getPriority() + BELOW_OTHER_THREADS, LOWEST_PRIORITY));
  } catch {
    // A sandbox may forbid it; tables are answered all the same.
  }
}

const context = workerData as GenerationData;
const width = adjustmentWidth(context.artefacts.manifest);

interface Held {
  readonly table: OpenTable;
  readonly memories: readonly JobMemory[];
  /** The rows that are being encoded. */
  pieces?: Pieces;
  /** `failures` of the table as last reported. */
  readonly reported: Map<ErrorCode, number>;
}

interface Opening {
  readonly steps: ReturnType<typeof openTable>;
  readonly jobRows: number;
}

/** The open tables by the number of the call that opened each. */
const tables = new Map<number, Held>();
/** Those being opened. */
const opening = new Map<number, Opening>();
/** The plans being read by the number of the call that began each. */
const plans = new Map<number, ReturnType<typeof readPlan>>();

/** How long the steps of a plan take before other orders have their turn. */
const STEP_MS = 10;

function notify(notice: TableNotice, transferred: readonly ArrayBufferLike[] = []): void {
  parentPort?.postMessage(notice, transferred as ArrayBuffer[]);
}

/** @param bytes of the result, to be transferred */
function done(call: number, result: TableResults[keyof TableResults], bytes?: Uint8Array): void {
  notify({ call, kind: 'done', result }, bytes && [bytes.buffer]);
}

/** Bytes in memory of their own: small ones share that of Node's pool. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function fail(call: number, error: unknown): void {
  if (error instanceof ApiError) notify({ call, kind: 'refused', error: error.error });
  else notify({ call, kind: 'failed', error: error as Error });
}

parentPort?.on('message', (message: TableCall) => {
  if ('close' in message) {
    tables.delete(message.close);
    opening.delete(message.close);
    plans.delete(message.close);
    return;
  }
  try {
    take(message.call, message.order);
  } catch (error) {
    fail(message.call, error);
  }
});

function take(call: number, order: TableOrder): void {
  if (order.kind === 'open') {
    const steps = openTable(order.body, order.request, context);
    opening.set(call, { steps, jobRows: order.jobRows });
    check(call, call);
    return;
  }
  if (order.kind === 'check') {
    check(call, order.table);
    return;
  }
  if (order.kind === 'plan') {
    const { buffer, byteOffset, length } = order.body;
    plans.set(call, readPlan(Buffer.from(buffer, byteOffset, length), order.tier, context));
    readOn(call, call);
    return;
  }
  if (order.kind === 'read') {
    readOn(call, order.plan);
    return;
  }
  const held = tables.get(order.table);
  if (held === undefined) throw new Error(`no table ${order.table}`);
  const { table, memories } = held;
  switch (order.kind) {
    case 'sites': {
      const { rows } = table.sites(order.from, order.count);
      memories[order.memory].rows(rows.count, rows.width).copyRows(0, rows, 0, rows.count);
      done(call, { count: rows.count, width: rows.width });
      break;
    }
    case 'encode': {
      const records = memories[order.memory].records(order.siteCount);
      held.pieces = table.encode(order.from, order.count, records);
      sendPiece(call, held);
      break;
    }
    case 'piece':
      sendPiece(call, held);
      break;
    case 'tail': {
      const bytes = owned(table.tail());
      done(call, bytes, bytes);
    }
  }
}

/** Answers with the next piece of the rows that are being encoded. */
function sendPiece(call: number, held: Held): void {
  const step = held.pieces?.next();
  if (step === undefined) throw new Error('no rows are being encoded');
  const bytes = owned(step.value);
  done(call, { bytes, isLast: step.done === true, failures: newFailures(held) }, bytes);
}

/** Makes a step of the check of a table, so that others of this thread continue between steps. */
function check(call: number, id: number): void {
  const table = opening.get(id);
  if (table === undefined) throw new Error(`no table ${id} is being opened`);
  opening.delete(id);
  const step = table.steps.next();
  if (step.done === true) {
    hold(call, id, step.value, table.jobRows);
  } else {
    opening.set(id, table);
    done(call, undefined);
  }
}

/** Reads some more of a plan, for about STEP_MS. */
function readOn(call: number, id: number): void {
  const steps = plans.get(id);
  if (steps === undefined) throw new Error(`no plan ${id} is being read`);
  plans.delete(id);
  const endMs = performance.now() + STEP_MS;
  let step = steps.next();
  while (step.done !== true && performance.now() < endMs) step = steps.next();
  if (step.done !== true) plans.set(id, steps);
  done(call, step.value);
}

/** Keeps a table that was opened. */
function hold(call: number, id: number, table: OpenTable, jobRows: number): void {
  const { rowCount } = table;
  const jobs = table.jobs(jobRows);
  const memoryRows = jobs.reduce((most, from, job) => Math.max(most, (jobs[job + 1] ?? rowCount) - from), 0);
  const memories = Array.from({ length: JOBS_UNDER_WAY }, () => JobMemory.create(memoryRows, width));
  tables.set(id, { table, memories, reported: new Map() });
  const head = owned(table.head());
  const shared = memories.map(({ memory }) => memory);
  done(call, { rowCount, jobs, head, memories: shared, memoryRows, memoryWidth: width }, head);
}

/** What `failures` of a table grew by since the last report. */
function newFailures({ table, reported }: Held): [ErrorCode, number][] {
  const grown: [ErrorCode, number][] = [];
  for (const [code, count] of table.failures) {
    const before = reported.get(code) ?? 0;
    if (count > before) grown.push([code, count - before]);
    reported.set(code, count);
  }
  return grown;
}
