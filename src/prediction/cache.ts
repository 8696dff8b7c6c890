import { PREDICTION_NUMBERS } from './model/prediction-numbers.js';

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

  /** @param maxBytes of its memory; it stores nothing where they are too few for one set @param contentWords float64 words of a slot's content */
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

/** A slot with its key is 64 bytes, one cache line. */
const PREDICTION_WORDS = 6;
const NUMBERS_PER_WORD = 4;

/** A bounded cache of the reported numbers of predictions, by an integer key above 0. */
export class PredictionCache extends SlotTable {
  readonly #numbers = new Uint16Array(this.words.buffer);

  constructor(maxBytes: number) {
    super(maxBytes, PREDICTION_WORDS);
  }

  /** Copies cached numbers to `numbers`, starting at `at`. @returns whether the key was cached */
  read(key: number, numbers: Uint16Array, at: number): boolean {
    const from = this.find(key, 0) * NUMBERS_PER_WORD;
    if (from < 0) return false;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) numbers[at + i] = this.#numbers[from + i];
    return true;
  }

  /** Caches the numbers that start at `at` under a key that is not cached. */
  keep(key: number, numbers: Uint16Array, at: number): void {
    const to = this.claim(key, 0) * NUMBERS_PER_WORD;
    if (to < 0) return;
    for (let i = 0; i < PREDICTION_NUMBERS; i++) this.#numbers[to + i] = numbers[at + i];
  }
}

/** The words of a place: grid point, distance in km, bytes of its text; then the text, 8 bytes a word. */
export const PLACE = { point: 0, distanceKm: 1, textLength: 2, text: 3 } as const;
/** 208 bytes are for text, an even number of words: the JSON of a site takes at most 190 with a region like US-OR. */
const PLACE_WORDS = 29;
const MAX_TEXT_BYTES = (PLACE_WORDS - PLACE.text) * Float64Array.BYTES_PER_ELEMENT;

/**
 * A bounded cache of matched places by longitude and latitude: their grid point, its distance, and the text that a
 * format writes for the place. An entry that `find` or `keep` returns is valid until the next `keep`.
 */
export class PlaceCache extends SlotTable {
  constructor(maxBytes: number) {
    super(maxBytes, PLACE_WORDS);
  }

  /** Adds a place that is not cached. @returns its entry, whose text is to be written; -1 where there is no space */
  keep(longitude: number, latitude: number, point: number, distanceKm: number, textLength: number): number {
    if (textLength > MAX_TEXT_BYTES) return -1;
    const entry = this.claim(longitude, latitude);
    if (entry === -1) return -1;
    this.words[entry + PLACE.point] = point;
    this.words[entry + PLACE.distanceKm] = distanceKm;
    this.words[entry + PLACE.textLength] = textLength;
    return entry;
  }
}
