import { Bool, Float64, Utf8 } from 'apache-arrow';
import { QUOTE } from '../request/json.js';
import type { ObjectColumns } from './object-columns.js';

/** Kinds of values, as bits. */
const NUMBER = 1;
const TEXT = 2;
const BOOLEAN = 4;
const OTHER = 8;

const [LETTER_F, LETTER_N, LETTER_T] = Buffer.from('fnt');
const [POINT, LOWER_E, UPPER_E] = Buffer.from('.eE');
const [OPEN_OBJECT, OPEN_ARRAY] = Buffer.from('{[');
/** No integer of so many characters is beyond what a float64 holds exactly. */
const EXACT_CHARACTERS = 15;

/** What kinds of values the columns of objects have: how they are written as columns of Arrow. */
export class ColumnTypes {
  /** @param kinds by column, the set of kinds that are known */
  constructor(readonly kinds: number[] = []) {}

  /** Adds the values of the object that was scanned last. */
  add(bytes: Buffer, { names, starts, ends }: ObjectColumns): void {
    for (let column = 0; column < names.length; column++)
      if (starts[column] !== 0) this.kinds[column] |= kindAt(bytes, starts[column], ends[column]);
  }

  /** The type of a column of Arrow; of values of several kinds, and of arrays and objects, their JSON as text. */
  arrowType(column: number): Float64 | Bool | Utf8 {
    if (this.kinds[column] === NUMBER) return new Float64();
    return this.kinds[column] === BOOLEAN ? new Bool() : new Utf8();
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
      return end - start > EXACT_CHARACTERS && !isExact(bytes, start, end) ? OTHER : NUMBER;
  }
}

/** Whether a number is no integer beyond what a float64 holds exactly, such as the id of a record. */
function isExact(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++)
    if (bytes[at] === POINT || bytes[at] === LOWER_E || bytes[at] === UPPER_E) return true;
  return Number.isSafeInteger(Number(bytes.toString('latin1', start, end)));
}
