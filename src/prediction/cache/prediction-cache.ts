import { PREDICTION_NUMBERS } from '../model/prediction-numbers.js';
import { SlotTable } from './slot-table.js';

/** A slot of the table takes one cache line. */
const CONTENT_WORDS = 6;
const NUMBERS_PER_WORD = 4;

/** A bounded cache of what is reported of predictions, by an integer key above 0. */
export class PredictionCache {
  readonly #table: SlotTable;
  readonly #numbers: Uint16Array;

  /** @param maxBytes memory it may take; 0 keeps nothing */
  constructor(maxBytes: number) {
    this.#table = new SlotTable(maxBytes, CONTENT_WORDS);
    this.#numbers = new Uint16Array(this.#table.words.buffer);
  }

  /** @param numbers where to, from `at` on @returns whether it was at hand */
  find(key: number, numbers: Uint16Array, at: number): boolean {
    const content = this.#table.find(key, 0);
    if (content === -1) return false;
    const from = content * NUMBERS_PER_WORD;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) numbers[at + i] = this.#numbers[from + i];
    return true;
  }

  /** Keeps the numbers from `at` on under a key that is not at hand. */
  keep(key: number, numbers: Uint16Array, at: number): void {
    const content = this.#table.claim(key, 0);
    if (content === -1) return;
    const to = content * NUMBERS_PER_WORD;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) this.#numbers[to + i] = numbers[at + i];
  }
}
