/** Slots of a set. */
const WAYS = 4;
/** A slot begins with its key. */
const KEY_WORDS = 2;

const keyWords = new Float64Array(KEY_WORDS);
const keyBits = new Uint32Array(keyWords.buffer);

/**
 * A bounded, set-associative hash table without objects: slots of a fixed size in one array, each with a key of two
 * numbers. A key is stored in any slot of its set and evicts the oldest one. The operating system provides the memory
 * only as slots are used.
 */
export class SlotTable {
  /** The memory; the content of a slot begins at the index that `find` and `claim` return. */
  readonly words: Float64Array;
  readonly #slotWords: number;
  readonly #setWords: number;
  readonly #sets: number;

  /**
   * @param maxBytes limit of its memory; a table smaller than a set stores nothing
   * @param contentWords size of a slot's content in float64 words
   */
  constructor(maxBytes: number, contentWords: number) {
    this.#slotWords = KEY_WORDS + contentWords;
    this.#setWords = WAYS * this.#slotWords;
    this.#sets = Math.floor(maxBytes / (this.#setWords * Float64Array.BYTES_PER_ELEMENT));
    this.words = new Float64Array(this.#sets * this.#setWords);
  }

  /** @returns the index of the content stored under a key; -1 if there is none, as always for the key (0, 0) */
  find(first: number, second: number): number {
    // An empty slot has that key.
    if (this.#sets === 0 || (first === 0 && second === 0)) return -1;
    const set = this.#setOf(first, second);
    for (let slot = set; slot < set + this.#setWords; slot += this.#slotWords) {
      if (this.words[slot] === first && this.words[slot + 1] === second) return slot + KEY_WORDS;
    }
    return -1;
  }

  /** Adds a key that is not in the table. @returns the index at which to write its content; -1 if nothing is stored */
  claim(first: number, second: number): number {
    if (this.#sets === 0) return -1;
    const set = this.#setOf(first, second);
    this.words.copyWithin(set + this.#slotWords, set, set + this.#setWords - this.#slotWords);
    this.words[set] = first;
    this.words[set + 1] = second;
    return set + KEY_WORDS;
  }

  /** The index of a key's set. The hash spreads keys that differ in a few bits, as neighbouring places do. */
  #setOf(first: number, second: number): number {
    keyWords[0] = first;
    keyWords[1] = second;
    let hash = 0;
    for (let i = 0; i < keyBits.length; i++) {
      hash = Math.imul(hash ^ keyBits[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return Math.floor(((hash >>> 0) / 2 ** 32) * this.#sets) * this.#setWords;
  }
}
