import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { AnswerEncoder } from '../formats/json/answer-encoder.js';
import { failureOf } from '../prediction/artefacts/artefact-error.js';
import { adjustmentWidth } from '../prediction/conditions/adjustments.js';
import { openPredictor } from '../prediction/open-predictor.js';
import type { Predictor } from '../prediction/predictor.js';
import type { Task, WorkerData, WorkerNotice } from './messages.js';
import { RunBuffer } from './run-buffer.js';

const data = workerData as WorkerData;

function notify(notice: WorkerNotice, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(notice, transferred);
}

// While the module loads: piscina replaces a thread that dies later without limit.
const opened = await openPredictor(data.predictor).catch((error: Error) => ({ error }));

/** Answers the runs ordered in a run buffer and does steps, one after the other, for as long as the thread lives. */
export default async function serve({ buffer, steps }: Task): Promise<never> {
  if ('error' in opened) {
    notify({ ...failureOf(opened.error), buffer });
    return new Promise(() => {}); // not thrown: the pool would ask for another
  }
  notify({ kind: 'ready', buffer });
  const run = new RunBuffer(data.runBuffers[buffer], adjustmentWidth(data.predictor.manifest));
  const encoder = new AnswerEncoder(opened);
  for (;;) {
    const count = run.awaitOrder();
    if (count > 0) notify({ buffer, ...(await answer(encoder, run, count)) });
    else await doStep(opened, run, steps, buffer);
  }
}

/** Answers the first `count` rows of a run buffer. @returns the notice to send */
async function answer(encoder: AnswerEncoder, run: RunBuffer, count: number) {
  try {
    const { inferenceMs } = await encoder.answer(run.rows(count), run.answers(count));
    run.settle(inferenceMs);
    return { kind: 'answered' } as const;
  } catch (error) {
    run.withdraw();
    return { kind: 'failed', error: error as Error } as const;
  }
}

/** Does the step whose order was sent. */
async function doStep(predictor: Predictor, run: RunBuffer, steps: MessagePort, buffer: number) {
  run.withdraw();
  try {
    const order = receiveMessageOnPort(steps)?.message as object;
    const { default: handle } = await import('./steps.js'); // which loads the formats, only where they are needed
    const { result, transferred } = await handle(order, predictor, data.predictor);
    notify({ buffer, kind: 'done', result }, transferred);
  } catch (error) {
    notify({ buffer, kind: 'failed', error: error as Error });
  }
}
