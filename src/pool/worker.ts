import { parentPort, threadId } from 'node:worker_threads';
import { workerData } from 'piscina';
import { openPredictor } from '../prediction/open-predictor.js';
import type { Task, TaskResult, WorkerData, WorkerNotice } from './messages.js';
import { refusalOf } from './refusal.js';
import { RunBuffer } from './run-buffer.js';

const data = workerData as WorkerData;
const buffers = data.runBuffers.map((memory) => new RunBuffer(memory));

function notify(notice: WorkerNotice): void {
  parentPort!.postMessage(notice);
}

// Awaited here, so that piscina gives a worker no task before its models are open. A failure is told and not thrown:
// piscina would start another thread in the place of one that is being given up.
const opened = await openPredictor(data.predictor).catch((error: Error) => ({ error }));
if (!('error' in opened)) {
  notify({ kind: 'ready', threadId });
} else {
  notify({ ...refusalOf(opened.error), threadId });
}

/** Carries out one task of the pool. */
export default async function work({ buffer, count }: Task): Promise<TaskResult> {
  if ('error' in opened) throw opened.error;
  const run = buffers[buffer]!;
  return opened.answer(run.rows(count), run.answers(count));
}
