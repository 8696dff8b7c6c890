import { Piscina } from 'piscina';
import { ArtefactError } from '../prediction/artefact-error.js';
import type { SiteRows } from '../prediction/site-rows.js';
import type { AnswerResult, Task, WarmUpResult, WorkerData } from './messages.js';

/** The compiled worker: threads run JavaScript, also when this file itself runs from its source in a test. */
const WORKER_FILE = new URL('../../dist/pool/worker.js', import.meta.url).href;

const WARM_UP_TIMEOUT_MS = 30_000;

/** The worker threads. Scheduling is the dispatcher's: piscina's own queue stays empty. */
export class WorkerPool {
  /** Worker threads that are warm. */
  ready = 0;

  readonly #piscina: Piscina;

  constructor(
    readonly size: number,
    data: WorkerData,
    onError: (error: Error) => void,
  ) {
    this.#piscina = new Piscina({
      filename: WORKER_FILE,
      workerData: data,
      minThreads: size,
      maxThreads: size,
      // By default piscina ends workers that idle between bursts.
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    // A worker that dies while idle would otherwise be an uncaught exception.
    this.#piscina.on('error', onError);
  }

  /**
   * Waits until every worker has its models open.
   * @throws ArtefactError where a model is not usable, Error where a worker does not start in time.
   */
  async warmUp(): Promise<void> {
    const warmedUp = Array.from({ length: this.size }, async () => {
      const result = (await this.#piscina.run({ kind: 'warm-up' } satisfies Task)) as WarmUpResult;
      if (!result.ok) throw new ArtefactError(result.file, result.problem);
      this.ready++;
    });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const late = () =>
        reject(new Error(`the workers were not ready within ${WARM_UP_TIMEOUT_MS / 1000} s`));
      timer = setTimeout(late, WARM_UP_TIMEOUT_MS);
    });
    try {
      await Promise.race([Promise.all(warmedUp), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Answers rows in a worker; `rows` is handed over and must not be used afterwards. */
  async answer(rows: SiteRows): Promise<AnswerResult> {
    const task: Task = { kind: 'answer', count: rows.count, rows: rows.buffer };
    return this.#piscina.run(task, { transferList: [rows.buffer] });
  }

  /** Ends the threads. No task may be running: ending a thread inside onnxruntime aborts the process. */
  async close(): Promise<void> {
    this.ready = 0;
    await this.#piscina.destroy();
  }
}
