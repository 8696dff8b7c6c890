/** Slots that a key may have. */
const WAYS = 4;
/** A slot begins with its key. */
const KEY_WORDS = 2;

const keyWords = new Float64Array(KEY_WORDS);
const keyBits = new Uint32Array(keyWords.buffer);

/**
 * A bounded hash table without objects: slots of a fixed size in one piece of memory, each with a key of two numbers. A
 * key may be in any slot of one set; the oldest of a set makes room. The system gives memory only as slots are used.
 */
export class SlotTable {
  /** The memory; a content begins at the index that `find` and `claim` give. */
  readonly words: Float64Array;
  readonly #slotWords: number;
  readonly #setWords: number;
  readonly #sets: number;

  /**
   * @param maxBytes memory it may take; less than a set keeps nothing
   * @param contentWords float64 words of a slot's content
   */
  constructor(maxBytes: number, contentWords: number) {
    this.#slotWords = KEY_WORDS + contentWords;
    this.#setWords = WAYS * this.#slotWords;
    this.#sets = Math.floor(maxBytes / (this.#setWords * Float64Array.BYTES_PER_ELEMENT));
    this.words = new Float64Array(this.#sets * this.#setWords);
  }

  /** @returns where the content begins that is kept under a key; -1 if there is none, as for the key (0, 0) */
  find(first: number, second: number): number {
    // An empty slot looks like that key's.
    if (this.#sets === 0 || (first === 0 && second === 0)) return -1;
    const set = this.#setOf(first, second);
    for (let slot = set; slot < set + this.#setWords; slot += this.#slotWords) {
      if (this.words[slot] === first && this.words[slot + 1] === second) return slot + KEY_WORDS;
    }
    return -1;
  }

  /** Makes room for a key that has none. @returns where its content is to be written; -1 where nothing is kept */
  claim(first: number, second: number): number {
    if (this.#sets === 0) return -1;
    const set = this.#setOf(first, second);
    this.words.copyWithin(set + this.#slotWords, set, set + this.#setWords - this.#slotWords);
    this.words[set] = first;
    this.words[set + 1] = second;
    return set + KEY_WORDS;
  }

  /** Where the set of a key begins: keys that differ little are spread. */
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
