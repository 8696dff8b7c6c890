/** Which rows of a column have a value. */
export class Validity {
  readonly #bitmap: Uint8Array;
  #nullCount = 0;

  /** Of so many rows, which all have one at first. */
  constructor(count: number) {
    this.#bitmap = new Uint8Array(Math.ceil(count / 8)).fill(0xff);
  }

  /** Takes a row's value away; once for each row. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.#nullCount++;
  }

  /** As `makeData` takes it. */
  nulls(): { nullCount: number; nullBitmap: Uint8Array } {
    return { nullCount: this.#nullCount, nullBitmap: this.#bitmap };
  }
}
