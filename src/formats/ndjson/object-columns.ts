import { Bool, Float64, Utf8 } from 'apache-arrow';
import {
  byteEnd,
  CLOSE_OBJECT,
  COMMA,
  colonEnd,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  startsWith,
  stringEnd,
  valueEnd,
} from '../json/json-grammar.js';

/** Kinds of values, as bits. */
const NUMBER = 1;
const BOOLEAN = 2;
const OTHER = 4;

const [LETTER_F, LETTER_N, LETTER_T] = Buffer.from('fnt');
/** A float64 holds any integer of up to this many characters exactly. */
const EXACT_CHARACTERS = 15;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The columns of objects: the union of their names in the order in which they appear first. */
export class ObjectColumns {
  readonly names: string[] = [];
  nameBytes = 0;
  /** Offsets of each column's value in the object scanned last; 0 if absent. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** The columns of that object: a row may have only a few of thousands. */
  readonly #present: number[] = [];
  /** The column that the object scanned last has twice, or -1. */
  doubled = -1;
  /** A column whose name has half of a surrogate pair, which UTF-8 cannot hold, or -1. */
  malformed = -1;
  /** The names as they are written between quotes. */
  readonly written: string[] = [];
  /** The same as bytes, with a closing quote. */
  readonly #quoted: Buffer[] = [];
  readonly #byName = new Map<string, number>();
  #scannedAt = -1;

  /**
   * @param written the names of columns that are known, as they are written between quotes
   * @param kinds by column, the set of kinds of its values that are known
   */
  constructor(
    written: readonly string[] = [],
    readonly kinds: number[] = [],
  ) {
    for (const name of written) this.#columnOf(name);
  }

  /** Scans an object that starts at an offset. @returns the offset after it @throws JsonError */
  scan(bytes: Buffer, start: number): number {
    for (const column of this.#present) this.starts[column] = 0;
    this.#present.length = 0;
    this.doubled = -1;
    let at = skipSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (let column = 0; ; column++) {
      const nameEnd = stringEnd(bytes, at);
      const isNext = column < this.#quoted.length && startsWith(bytes, at + 1, this.#quoted[column]);
      if (!isNext) column = this.#columnOf(bytes.toString('utf8', at + 1, nameEnd - 1));
      if (this.starts[column] !== 0) this.doubled = column;
      const value = colonEnd(bytes, nameEnd);
      const end = valueEnd(bytes, value);
      this.starts[column] = value;
      this.ends[column] = end;
      this.#present.push(column);
      at = skipSpace(bytes, end);
      if (bytes[at] !== COMMA) return byteEnd(bytes, at, CLOSE_OBJECT);
      at = skipSpace(bytes, at + 1);
    }
  }

  /** Scans the object that follows an offset, unless it was the last to be scanned. */
  scanOnce(bytes: Buffer, start: number): void {
    if (start !== this.#scannedAt) this.scan(bytes, skipSpace(bytes, start));
    this.#scannedAt = start;
  }

  /** Adds the kinds of the values of the object that was scanned last. */
  addKinds(bytes: Buffer): void {
    for (const column of this.#present)
      this.kinds[column] |= kindAt(bytes, this.starts[column], this.ends[column]);
  }

  /** The Arrow type of a column. Arrays, objects and values of several kinds become texts of JSON. */
  arrowType(column: number): Float64 | Bool | Utf8 {
    if (this.kinds[column] === NUMBER) return new Float64();
    return this.kinds[column] === BOOLEAN ? new Bool() : new Utf8();
  }

  /** The column of a name, which is added if it is new. @param written the name as it is between quotes */
  #columnOf(written: string): number {
    const name: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const column = this.names.push(name) - 1;
    if (LONE_SURROGATE.test(name)) this.malformed = column;
    this.#byName.set(name, column);
    this.nameBytes += Buffer.byteLength(name);
    this.written.push(written);
    this.#quoted.push(Buffer.from(`${written}"`));
    this.starts.push(0);
    this.ends.push(0);
    return column;
  }
}

function kindAt(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start];
  if (first === LETTER_N) return 0;
  if (first === LETTER_T || first === LETTER_F) return BOOLEAN;
  if (first === QUOTE || first === OPEN_OBJECT || first === OPEN_ARRAY) return OTHER;
  const isNumber = end - start <= EXACT_CHARACTERS || isExact(bytes.toString('latin1', start, end));
  return isNumber ? NUMBER : OTHER;
}

/** Whether a float64 can stand for a number: not for an integer beyond the safe range, such as the id of a record. */
function isExact(number: string): boolean {
  return /[.e]/i.test(number) || Number.isSafeInteger(Number(number));
}
