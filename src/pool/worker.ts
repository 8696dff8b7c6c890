import { parentPort, threadId } from 'node:worker_threads';
import { workerData } from 'piscina';
import { ArtefactError } from '../prediction/artefact-error.js';
import { openPredictor } from '../prediction/open-predictor.js';
import type { Task, TaskResult, WorkerData, WorkerNotice } from './messages.js';
import { RunBuffer } from './run-buffer.js';

const data = workerData as WorkerData;
const buffers = data.runBuffers.map((memory) => new RunBuffer(memory));

function notify(notice: WorkerNotice): void {
  parentPort!.postMessage(notice);
}

// Awaited here, so that piscina gives a worker no task before its models are open.
const predictor = await openPredictor(data.predictor).catch((error: unknown) => {
  if (error instanceof ArtefactError) notify({ kind: 'refused', file: error.file, problem: error.problem });
  throw error;
});
notify({ kind: 'ready', threadId });

/** Carries out one task of the pool. */
export default function work({ buffer, count }: Task): Promise<TaskResult> {
  const run = buffers[buffer]!;
  return predictor.answer(run.rows(count), run.answers(count));
}
