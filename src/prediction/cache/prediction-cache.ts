import { PREDICTION_NUMBERS } from '../model/prediction-numbers.js';
import { SlotTable } from './slot-table.js';

/** A slot with its key is 64 bytes, one cache line. */
const CONTENT_WORDS = 6;
const NUMBERS_PER_WORD = 4;

/** A bounded cache of the reported numbers of predictions, by an integer key above 0. */
export class PredictionCache {
  readonly #table: SlotTable;
  readonly #numbers: Uint16Array;

  /** @param maxBytes limit of its memory; 0 disables it */
  constructor(maxBytes: number) {
    this.#table = new SlotTable(maxBytes, CONTENT_WORDS);
    this.#numbers = new Uint16Array(this.#table.words.buffer);
  }

  /** Copies cached numbers to `numbers`, starting at `at`. @returns whether the key was cached */
  find(key: number, numbers: Uint16Array, at: number): boolean {
    const content = this.#table.find(key, 0);
    if (content === -1) return false;
    const from = content * NUMBERS_PER_WORD;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) numbers[at + i] = this.#numbers[from + i];
    return true;
  }

  /** Caches the numbers that start at `at` under a key that is not cached. */
  keep(key: number, numbers: Uint16Array, at: number): void {
    const content = this.#table.claim(key, 0);
    if (content === -1) return;
    const to = content * NUMBERS_PER_WORD;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) this.#numbers[to + i] = numbers[at + i];
  }
}
