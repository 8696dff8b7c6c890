import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { ArtefactError } from '../prediction/artefact-error.js';
import { openPredictor } from '../prediction/open-predictor.js';
import { SiteRows } from '../prediction/site-rows.js';
import type { AnswerResult, Task, WarmUpResult, WorkerData } from './messages.js';

// Awaited here, so that piscina counts a worker as ready only when its models are open. A failure is told by the
// warm-up task: thrown here, it would leave later tasks pending for ever.
const opened = await openPredictor(workerData as WorkerData).catch((error: unknown) => ({ error }));

/** Carries out one task of the pool. */
export default async function work(task: Task): Promise<unknown> {
  if (task.kind === 'warm-up') return warmUpResult();
  if ('error' in opened) throw opened.error;
  return transferred(await opened.answer(new SiteRows(task.count, task.rows)));
}

function warmUpResult(): WarmUpResult {
  if (!('error' in opened)) return { ok: true };
  if (opened.error instanceof ArtefactError) {
    const { file, problem } = opened.error;
    return { ok: false, file, problem };
  }
  throw opened.error;
}

/** Hands the columns of a result to the main thread without a copy. */
function transferred(result: AnswerResult): unknown {
  return move({
    [transferableSymbol]: [result.status.buffer, result.ends.buffer, result.json.buffer],
    [valueSymbol]: result,
  } as unknown as Parameters<typeof move>[0]);
}
