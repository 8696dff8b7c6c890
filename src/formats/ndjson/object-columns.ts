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
} from '../request/json.js';

/** Kinds of values, as bits. */
const NUMBER = 1;
const TEXT = 2;
const BOOLEAN = 4;
const OTHER = 8;

const [LETTER_F, LETTER_N, LETTER_T] = Buffer.from('fnt');
/** No integer of so many characters is beyond what a float64 holds exactly. */
const EXACT_CHARACTERS = 15;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text of a JSON string without its quotes. */
export function unquoted(json: string): string {
  return JSON.parse(`"${json}"`) as string;
}

/** The columns of objects: the union of their names in the order in which they appear first. */
export class ObjectColumns {
  readonly names: string[] = [];
  nameBytes = 0;
  /** Offsets of each column's value in the object scanned last; 0 if absent. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** The column that the object scanned last has twice, or -1. */
  doubled = -1;
  /** A column whose name has half of a surrogate pair, which UTF-8 cannot hold, or -1. */
  malformed = -1;
  /** The names as they are written between quotes, with a closing quote. */
  readonly #written: Buffer[] = [];
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
    for (const name of written) this.#add(Buffer.from(`${name}"`));
  }

  /** The names of all columns as they are written between quotes. */
  get written(): string[] {
    return this.#written.map((name) => name.toString('utf8', 0, name.length - 1));
  }

  /** Scans an object that starts at an offset. @returns the offset after it @throws JsonError */
  scan(bytes: Buffer, start: number): number {
    this.starts.fill(0);
    this.doubled = -1;
    let at = skipSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (let column = 0; ; column++) {
      const nameEnd = stringEnd(bytes, at);
      const isNext = column < this.#written.length && startsWith(bytes, at + 1, this.#written[column]);
      if (!isNext) column = this.#columnOf(bytes, at + 1, nameEnd);
      if (this.starts[column] !== 0) this.doubled = column;
      const value = colonEnd(bytes, nameEnd);
      const end = valueEnd(bytes, value);
      this.starts[column] = value;
      this.ends[column] = end;
      at = skipSpace(bytes, end);
      if (bytes[at] !== COMMA) return byteEnd(bytes, at, CLOSE_OBJECT);
      at = skipSpace(bytes, at + 1);
    }
  }

  /** Scans the object that follows an offset, unless it was asked for last. */
  scanOnce(bytes: Buffer, start: number): void {
    if (start !== this.#scannedAt) this.scan(bytes, skipSpace(bytes, start));
    this.#scannedAt = start;
  }

  /** Adds the kinds of the values of the object that was scanned last. */
  addKinds(bytes: Buffer): void {
    for (let column = 0; column < this.names.length; column++)
      if (this.starts[column] !== 0)
        this.kinds[column] |= kindAt(bytes, this.starts[column], this.ends[column]);
  }

  /** The type of a column of Arrow; of values of several kinds, and of arrays and objects, their JSON as text. */
  arrowType(column: number): Float64 | Bool | Utf8 {
    if (this.kinds[column] === NUMBER) return new Float64();
    return this.kinds[column] === BOOLEAN ? new Bool() : new Utf8();
  }

  /** The column of a name; a new one where no object had it so far. @param end after its closing quote */
  #columnOf(bytes: Buffer, start: number, end: number): number {
    const written = bytes.toString('utf8', start, end - 1);
    const name = written.includes('\\') ? unquoted(written) : written;
    return this.#byName.get(name) ?? this.#add(Buffer.from(bytes.subarray(start, end)));
  }

  /** Adds a column. @param quoted its name as it is written, with its closing quote */
  #add(quoted: Buffer): number {
    const written = quoted.toString('utf8', 0, quoted.length - 1);
    const isEscaped = written.includes('\\');
    const name = isEscaped ? unquoted(written) : written;
    const column = this.names.push(name) - 1;
    if (isEscaped && LONE_SURROGATE.test(name)) this.malformed = column;
    this.#byName.set(name, column);
    this.nameBytes += Buffer.byteLength(name);
    this.#written.push(quoted);
    this.starts.push(0);
    this.ends.push(0);
    return column;
  }
}

function kindAt(bytes: Buffer, start: number, end: number): number {
  switch (bytes[start]) {
    case QUOTE:
      return TEXT;
    case LETTER_T:
    case LETTER_F:
      return BOOLEAN;
    case LETTER_N:
      return 0;
    case OPEN_OBJECT:
    case OPEN_ARRAY:
      return OTHER;
    default:
      return end - start > EXACT_CHARACTERS && !isExact(bytes.toString('latin1', start, end))
        ? OTHER
        : NUMBER;
  }
}

/** Whether a number is no integer beyond what a float64 holds exactly, such as the id of a record. */
function isExact(number: string): boolean {
  return /[.e]/i.test(number) || Number.isSafeInteger(Number(number));
}
