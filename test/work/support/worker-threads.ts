import type { Worker } from 'node:worker_threads';

/** The worker threads of this process, from now on. */
export class WorkerThreads {
  readonly #alive = new Set<Worker>();
  #killsNew = false;
  readonly #watch = (thread: Worker) => {
    if (this.#killsNew) void thread.terminate();
    this.#alive.add(thread);
    thread.once('exit', () => this.#alive.delete(thread));
  };

  constructor() {
    process.on('worker', this.#watch);
  }

  get count(): number {
    return this.#alive.size;
  }

  /**
   * Ends every thread, as a crash would. Call it where none can be inside onnxruntime, which would abort the process:
   * when all are idle. What is sent to one in the same turn is lost with it.
   */
  terminateAll(): Promise<unknown> {
    return Promise.all([...this.#alive].map((thread) => thread.terminate()));
  }

  /** Ends the oldest thread, as `terminateAll` does. */
  terminateOldest(): Promise<unknown> {
    return [...this.#alive][0].terminate();
  }

  /** Ends one thread, as `terminateAll` does, and those that come in its place before they have done anything. */
  async loseOne(): Promise<void> {
    this.#killsNew = true;
    await [...this.#alive][0].terminate();
  }

  /** From now on threads that start end before they have done anything. */
  killNext(): void {
    this.#killsNew = true;
  }

  /** From now on threads that start live. */
  letLive(): void {
    this.#killsNew = false;
  }

  stopWatching(): void {
    process.off('worker', this.#watch);
  }
}
