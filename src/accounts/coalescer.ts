interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs one operation at a time and puts all that arrives meanwhile together into the next run.
 *
 * However many callers there are, the store sees one query of ours at a time, and a caller waits for two at most.
 */
export class Coalescer<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #maxItems: number;
  #waiting: Waiting<Item, Result>[] = [];
  #running = false;

  /**
   * @param run answers a group of items, one result for each in the same order
   * @param maxItems the largest group `run` is given
   */
  constructor(run: (items: Item[]) => Promise<Result[]>, maxItems: number) {
    this.#run = run;
    this.#maxItems = maxItems;
  }

  /** Whether nothing runs and nothing waits. */
  get idle(): boolean {
    return !this.#running;
  }

  /** Answers one item; rejects with what the run it was part of, or waited for, was rejected with. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#maxItems);
      try {
        const results = await this.#run(group.map((waiting) => waiting.item));
        for (const [index, waiting] of group.entries()) waiting.resolve(results[index]);
      } catch (error) {
        // Those in the queue fail with the group: waiting out a second deadline at a dead store helps nobody.
        const failed = group.concat(this.#waiting);
        this.#waiting = [];
        for (const waiting of failed) waiting.reject(error);
      }
    }
    this.#running = false;
  }
}
