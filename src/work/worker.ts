import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { answerEncoder } from '../formats/json/answer-encoder.js';
import { type ArtefactFailure, failureOf } from '../prediction/artefacts/artefact-file.js';
import { openPredictor } from '../prediction/open-predictor.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import { RunBuffer, type RunMemory } from './memory/run-buffer.js';
import { doStep } from './steps.js';

/** The one task of a worker, which never ends: to answer what is ordered in a run buffer. */
export interface Task {
  readonly slot: number;
  readonly memory: RunMemory;
  /** Receives the orders of steps. */
  readonly orders: MessagePort;
}

/** What a worker reports. It does not know its slot while it checks the model files. */
export type WorkerNotice = { readonly kind: 'checking'; readonly file: string } | SlotNotice;

type SlotNotice = { readonly slot: number } & (
  | { readonly kind: 'ready' }
  | ArtefactFailure
  | { readonly kind: 'answered' } // the answers of the run are in the buffer
  | { readonly kind: 'done'; readonly result: unknown } // the step has ended
  | { readonly kind: 'failed'; readonly error: Error } // the run or step threw; the worker is still ready
);

/** What a worker is given when it starts; the grid in it is shared, not copied. */
const data = workerData as PredictorData;

function notify(notice: WorkerNotice, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(notice, transferred);
}

// Opened while the module loads: if a thread dies later, Piscina replaces it again and again.
const opened = await openPredictor(data, (file) => notify({ kind: 'checking', file })).catch(
  (error: Error) => ({ error }),
);

export default async function serve({ slot, memory, orders }: Task): Promise<never> {
  if ('error' in opened) {
    notify({ ...failureOf(opened.error), slot });
    return new Promise(() => {}); // not thrown: the pool would ask for another
  }
  notify({ kind: 'ready', slot });
  const run = new RunBuffer(memory);
  const encoder = answerEncoder(opened);
  for (;;) {
    const count = run.awaitOrder();
    try {
      if (count > 0) {
        const { inferenceMs } = await encoder.answer(run.rows(count), run.answers(count));
        run.settle(inferenceMs);
        notify({ kind: 'answered', slot });
      } else {
        const outcome = await doStep(receiveMessageOnPort(orders)?.message, opened);
        run.withdraw();
        const isWritten = 'result' in outcome && 'bytes' in outcome.result; // in memory of its own, which is handed over
        notify({ kind: 'done', result: outcome, slot }, isWritten ? [outcome.result.bytes.buffer] : []);
      }
    } catch (error) {
      run.withdraw();
      notify({ kind: 'failed', error: error as Error, slot });
    }
  }
}
