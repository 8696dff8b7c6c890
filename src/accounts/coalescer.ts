/** The most items of a run, which bounds a statement. */
const MAX_ITEMS = 1000;

/**
 * Runs one operation at a time and groups all items that arrive meanwhile into the next run. However many callers there
 * are, the process sends one query at a time, and a caller waits for at most two.
 */
export class Coalescer<Item, Result> {
  #waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  /** @param run processes a group of items; returns one result for each, in the same order */
  constructor(private readonly run: (items: Item[]) => Promise<Result[]>) {}

  /** The result of one item. Rejects with the error of the run that it was part of or waited for. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_ITEMS);
      try {
        const results = await this.run(group.map((waiting) => waiting.item));
        for (const [index, waiting] of group.entries()) waiting.resolve(results[index]);
      } catch (error) {
        // Waiting items fail with the group: an unavailable store would only make them wait for a second deadline.
        const failed = group.concat(this.#waiting);
        this.#waiting = [];
        for (const waiting of failed) waiting.reject(error);
      }
    }
    this.#running = false;
  }
}
