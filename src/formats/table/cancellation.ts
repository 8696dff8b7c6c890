/**
 * Tells once that work is not wanted any more. AbortController would tell the same, but to make its signal Node 20 changes
 * the prototype of an object, and V8 can wait for ever where another thread optimizes a function meanwhile. See
 * docs/reliability.md.
 */
export class Cancellation {
  #isCancelled = false;
  readonly #callbacks = new Set<() => void>();

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Calls what waits for it, the first time. */
  cancel(): void {
    this.#isCancelled = true;
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback();
  }

  /** @param callback called when it is cancelled; not if it was before */
  onCancel(callback: () => void): void {
    if (!this.#isCancelled) this.#callbacks.add(callback);
  }

  offCancel(callback: () => void): void {
    this.#callbacks.delete(callback);
  }
}
