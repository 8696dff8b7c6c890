import { SHOWN_ELEMENTS } from '../errors/shown-value.js';
import {
  BACKSLASH,
  byteEnd,
  CLOSE_OBJECT,
  COMMA,
  colonEnd,
  LETTER_U,
  NINE,
  plainTextEnd,
  QUOTE,
  skipSpace,
  startsWith,
  stringEnd,
  textAt,
  valueEnd,
} from './json.js';

/** Names near to an option's that callers use for tags of their own. */
const TAGS = ['condition', 'elevation'].map((name) => Buffer.from(`"${name}"`));

/** Stands for a character that is in no field's name. */
const OTHER_CHARACTER = 0;

/** Bytes of a character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

/** A field that is one edit from an option that its object lacks. */
export interface Misspelling {
  readonly name: string;
  readonly option: string;
}

type ValueEnd = (bytes: Buffer, start: number) => number;

/** Bytes of members between two pauses: a millisecond or so. */
const BYTES_PER_PAUSE = 64 * 1024;

/** Finds the fields that a request may have in the bytes of an object; it creates nothing from any other field. */
export class ObjectFields {
  /** Offset of each field's value in the object scanned last, in the order of `names`; 0 where it is absent. */
  readonly starts: Int32Array;
  readonly #quoted: readonly Buffer[];
  /** By byte, 1 where a name starts with it: most tags do with another. */
  readonly #initials = new Uint8Array(256);
  /** A quoted name without its escapes. */
  readonly #unescaped: Buffer;
  /** Where the fields that may be absent are in `names`. */
  readonly #options: readonly number[];
  /** By field, the offset of a name one edit from an option's in the object scanned last, or 0. */
  readonly #nearAt: Int32Array;
  /** Where the first few other names of the object scanned last start. */
  readonly #unknownAt = new Int32Array(SHOWN_ELEMENTS);
  #unknownCount = 0;

  /** @param options those of the names that may be absent */
  constructor(
    readonly names: readonly string[],
    options: readonly string[],
  ) {
    this.starts = new Int32Array(names.length);
    this.#nearAt = new Int32Array(names.length);
    this.#quoted = names.map((name) => Buffer.from(`"${name}"`));
    // Longer than any name that is near to an option's.
    this.#unescaped = Buffer.alloc(Math.max(...this.#quoted.map(({ length }) => length)) + 5);
    for (const quoted of this.#quoted) this.#initials[quoted[1]] = 1;
    this.#options = options.map((name) => names.indexOf(name));
  }

  /**
   * Finds the fields of an object; of a repeated one the last counts, as in JSON.parse.
   * @param fieldEnd checks the grammar of a field's value and returns the offset after it
   * @param otherEnd does so for the values of all other names
   * @returns the offset after the object
   * @throws JsonError
   */
  scan(bytes: Buffer, start: number, fieldEnd = valueEnd, otherEnd = valueEnd): number {
    const at = this.#begin(bytes, start);
    return bytes[at - 1] === CLOSE_OBJECT
      ? at
      : this.#scanFrom(bytes, at, stringEnd, fieldEnd, otherEnd, bytes.length);
  }

  /** As `scan`, of an object whose grammar was checked, with pauses. @param endOf returns the offset after a value or name */
  *scanInSteps(bytes: Buffer, start: number, endOf: ValueEnd): Generator<undefined, void> {
    let at = this.#begin(bytes, start);
    while (bytes[at - 1] !== CLOSE_OBJECT) {
      at = this.#scanFrom(bytes, at, endOf, endOf, endOf, at + BYTES_PER_PAUSE);
      yield;
    }
  }

  /** Forgets the object scanned before. @returns the offset of the first member of an object, or that after its end */
  #begin(bytes: Buffer, start: number): number {
    for (let i = 0; i < this.starts.length; i++) this.starts[i] = this.#nearAt[i] = 0;
    this.#unknownCount = 0;
    const at = skipSpace(bytes, start + 1);
    return bytes[at] === CLOSE_OBJECT ? at + 1 : at;
  }

  /**
   * Scans members from the one at an offset on.
   * @param pauseAt the offset that no other member is begun after
   * @returns the offset of the next member, or that after the end of the object
   */
  #scanFrom(
    bytes: Buffer,
    start: number,
    nameEndAt: ValueEnd,
    fieldEnd: ValueEnd,
    otherEnd: ValueEnd,
    pauseAt: number,
  ): number {
    let at = start;
    let expected = 0;
    while (true) {
      let field = this.#fieldAt(bytes, at, expected);
      let nameEnd: number;
      if (field !== -1) nameEnd = at + this.#quoted[field].length;
      else {
        nameEnd = plainTextEnd(bytes, byteEnd(bytes, at, QUOTE), at + this.#unescaped.length) + 1;
        if (bytes[nameEnd - 1] === QUOTE) this.#keepIfNear(bytes, at, nameEnd, at);
        else {
          nameEnd = nameEndAt(bytes, at);
          const length = unescapeName(bytes, at, this.#unescaped);
          field = this.#fieldAt(this.#unescaped, 0, 0);
          if (field === -1) this.#keepIfNear(this.#unescaped, 0, length, at);
        }
      }
      const value = colonEnd(bytes, nameEnd);
      if (field === -1) {
        if (this.#unknownCount < SHOWN_ELEMENTS) this.#unknownAt[this.#unknownCount++] = at;
        at = otherEnd(bytes, value);
      } else {
        this.starts[field] = value;
        expected = field + 1;
        at = fieldEnd(bytes, value);
      }
      at = skipSpace(bytes, at);
      if (bytes[at] !== COMMA) return byteEnd(bytes, at, CLOSE_OBJECT);
      at = skipSpace(bytes, at + 1);
      if (at > pauseAt) return at;
    }
  }

  /** Whether the object scanned last has a field of another name. */
  get hasUnknown(): boolean {
    return this.#unknownCount > 0;
  }

  /** The first few of the other names in the object scanned last. */
  unknownNames(bytes: Buffer): string[] {
    return Array.from(this.#unknownAt.subarray(0, this.#unknownCount), (at) => String(textAt(bytes, at)));
  }

  /** Whether the object scanned last has a field that is probably a misspelt option. */
  get hasMisspelling(): boolean {
    for (const option of this.#options) if (this.#isMisspelt(option)) return true;
    return false;
  }

  misspellings(bytes: Buffer): Misspelling[] {
    return this.#options
      .filter((option) => this.#isMisspelt(option))
      .map((option) => ({ name: String(textAt(bytes, this.#nearAt[option])), option: this.names[option] }));
  }

  #isMisspelt(option: number): boolean {
    return this.#nearAt[option] !== 0 && this.starts[option] === 0;
  }

  /** @param expected where to look first: callers keep to an order @returns the index of a name without escapes, or -1 */
  #fieldAt(bytes: Buffer, at: number, expected: number): number {
    if (this.#initials[bytes[at + 1]] !== 1) return -1;
    const count = this.#quoted.length;
    for (let i = 0, field = expected; i < count; i++, field++) {
      if (field >= count) field -= count;
      if (startsWith(bytes, at, this.#quoted[field])) return field;
    }
    return -1;
  }

  /** @param nameAt where the name is written */
  #keepIfNear(bytes: Buffer, start: number, end: number, nameAt: number): void {
    for (const option of this.#options) {
      if (!isOneEditAway(bytes, start, end, this.#quoted[option])) continue;
      if (!TAGS.some((tag) => tag.length === end - start && startsWith(bytes, start, tag)))
        this.#nearAt[option] = nameAt;
    }
  }
}

/**
 * Whether a name differs from an ASCII one by one character that is inserted, left out or replaced, or by two neighbours
 * that are swapped (Damerau-Levenshtein distance 1).
 * @param bytes UTF-8, the name from `start` to `end`; not the same name
 */
function isOneEditAway(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  const longer = end - start - name.length;
  if (longer < -1 || longer > MAX_CHARACTER_BYTES) return false;
  let from = 0;
  while (from < name.length && start + from < end && bytes[start + from] === name[from]) from++;
  let to = name.length;
  while (to > from && to + longer > from && bytes[start + to + longer - 1] === name[to - 1]) to--;
  const replaced = to - from;
  if (replaced > 1)
    return (
      replaced === 2 &&
      longer === 0 &&
      bytes[start + from] === name[from + 1] &&
      bytes[start + from + 1] === name[from]
    );
  let characters = 0;
  for (let i = from; i < to + longer; i++) if ((bytes[start + i] & 0xc0) !== 0x80) characters++;
  return characters <= 1;
}

/**
 * Writes a quoted name or word without its escapes, as far as there is space. Escapes of characters beyond ASCII become
 * characters that are in no field's name, as do those of control characters.
 * @param start of a string whose grammar was checked
 * @returns the length of what was written
 */
export function unescapeName(bytes: Buffer, start: number, target: Buffer): number {
  let length = 0;
  for (let at = start; length < target.length; at++) {
    if (bytes[at] === BACKSLASH) {
      let code = OTHER_CHARACTER;
      if (bytes[++at] === LETTER_U)
        for (const end = at + 4; at < end; )
          code = code * 16 + (bytes[++at] & 0xf) + (bytes[at] > NINE ? 9 : 0);
      target[length++] = code > QUOTE && code < 0x80 ? code : OTHER_CHARACTER;
    } else {
      target[length++] = bytes[at];
      if (bytes[at] === QUOTE && at > start) break;
    }
  }
  return length;
}
