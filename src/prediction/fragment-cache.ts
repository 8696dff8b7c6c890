import type { Fragment } from './json-writer.js';

/** What an entry takes beside its words: the map's slot and the objects around them, measured on Node 20. */
const ENTRY_OVERHEAD_BYTES = 300;

/**
 * A bounded cache of finished JSON by an integer key. It keeps two generations: what is used moves to the young one,
 * and when that is full it becomes the old one, whose place was that of what was not used meanwhile.
 */
export class FragmentCache {
  #young = new Map<number, Fragment>();
  #old = new Map<number, Fragment>();
  #youngBytes = 0;

  /** @param maxBytes memory it may take; 0 keeps nothing */
  constructor(readonly maxBytes: number) {}

  get(key: number): Fragment | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  /** Keeps a fragment; a key stands for the same JSON always, so one that is kept already is not kept again. */
  set(key: number, fragment: Fragment): void {
    if (this.#young.has(key)) return;
    const bytes = fragment.words.byteLength + ENTRY_OVERHEAD_BYTES;
    if (this.#youngBytes + bytes > this.maxBytes / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(key, fragment);
    this.#youngBytes += bytes;
  }
}
