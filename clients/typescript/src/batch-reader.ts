/** Reads items in arrays. Unlike a loop over the items, it can be ended while it waits for one of them. */
export class BatchReader<Item> {
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  #isReading = false;
  #isEnded = false;

  constructor(items: Iterable<Item> | AsyncIterable<Item>) {
    this.#iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /**
   * @param size the length of the array, asked after each item
   * @returns the next items; none at the end
   * @throws what reading the items throws
   */
  async read(size: () => number): Promise<Item[]> {
    const batch: Item[] = [];
    this.#isReading = true;
    try {
      while (!this.#isEnded) {
        const { done, value } = await this.#iterator.next();
        if (done) this.#isEnded = true;
        else if (batch.push(value) >= size()) break;
      }
    } catch (error) {
      this.#isEnded = true;
      throw error;
    } finally {
      this.#isReading = false;
    }
    return batch;
  }

  /**
   * Ends the source of the items, as leaving a loop over them does, but does not wait for its end while an item is
   * being read.
   */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const ended = Promise.resolve(this.#iterator.return?.());
    if (this.#isReading) ended.catch(() => {});
    else await ended;
  }
}
