import { parentPort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { openPredictor } from '../prediction/open-predictor.js';
import type { Task, WorkerData, WorkerNotice } from './messages.js';
import { refusalOf } from './refusal.js';
import { RunBuffer } from './run-buffer.js';

const { predictor, runBuffers } = workerData as WorkerData;

function notify(notice: WorkerNotice): void {
  parentPort!.postMessage(notice);
}

/** Answers the runs ordered in a run buffer, one after the other, for as long as the thread lives. */
export default async function serve({ buffer }: Task): Promise<never> {
  const run = new RunBuffer(runBuffers[buffer]!);
  const opened = await openPredictor(predictor).catch((error: Error) => ({ error }));
  if ('error' in opened) {
    notify({ ...refusalOf(opened.error), buffer });
    return new Promise(() => {}); // not thrown: piscina would start another in its place
  }
  notify({ kind: 'ready', buffer });
  for (;;) {
    const count = run.awaitOrder();
    try {
      const { inferenceMs } = await opened.answer(run.rows(count), run.answers(count));
      run.settle(inferenceMs);
      notify({ kind: 'answered', buffer });
    } catch (error) {
      run.withdraw();
      notify({ kind: 'failed', buffer, error: error as Error });
    }
  }
}
