import { parentPort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { failureOf } from '../prediction/artefacts/artefact-error.js';
import { adjustmentWidth } from '../prediction/conditions/adjustments.js';
import { openPredictor } from '../prediction/open-predictor.js';
import type { Predictor } from '../prediction/predictor.js';
import type { Task, WorkerData, WorkerNotice } from './messages.js';
import { RunBuffer } from './run-buffer.js';

const data = workerData as WorkerData;

function notify(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

// While the module loads: piscina replaces a thread that dies later without limit.
const opened = await openPredictor(data.predictor).catch((error: Error) => ({ error }));

/** Answers the runs ordered in a run buffer, one after the other, for as long as the thread lives. */
export default async function serve({ buffer }: Task): Promise<never> {
  if ('error' in opened) {
    notify({ ...failureOf(opened.error), buffer });
    return new Promise(() => {}); // not thrown: the pool would ask for another
  }
  notify({ kind: 'ready', buffer });
  const run = new RunBuffer(data.runBuffers[buffer], adjustmentWidth(data.predictor.manifest));
  for (;;) notify({ buffer, ...(await answer(opened, run, run.awaitOrder())) });
}

/** Answers the first `count` rows of a run buffer. @returns the notice to send */
async function answer(predictor: Predictor, run: RunBuffer, count: number) {
  try {
    const { inferenceMs } = await predictor.answer(run.rows(count), run.answers(count));
    run.settle(inferenceMs);
    return { kind: 'answered' } as const;
  } catch (error) {
    run.withdraw();
    return { kind: 'failed', error: error as Error } as const;
  }
}
