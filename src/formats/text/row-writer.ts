import { fragment, JsonWriter, NUMBER_BYTES, STEP_BYTES } from '../json/json-writer.js';
import type { OutputColumn, TextLists } from '../table/output-columns.js';
import type { TextFormat } from './text-formats.js';

/** Longer texts are written faster by one call than character by character. */
const LONG = 24;

/** Writes text as bytes into memory that grows. */
export class RowWriter extends JsonWriter {
  #memory = Buffer.alloc(0);

  /** Ensures space for this many bytes, which JsonWriter does not check. */
  reserve(bytes: number): void {
    const { length } = this;
    const needed = length + bytes + STEP_BYTES;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#memory.copy(larger, 0, 0, length);
    this.#memory = larger;
    this.begin(larger);
    this.length = length;
  }

  /** Copies bytes [start, end) of others. */
  copy(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.#memory, this.length, start, end);
  }

  /** Writes a text whose characters are bytes: ASCII, or UTF-8 that was read as latin1. */
  writeBytes(text: string): void {
    this.reserve(text.length);
    if (text.length > LONG) this.length += this.#memory.write(text, this.length, 'latin1');
    else for (let i = 0; i < text.length; i++) this.#memory[this.length++] = text.charCodeAt(i);
  }

  writeText(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.#memory.write(text, this.length);
  }

  /** A copy of what was written. */
  written(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.subarray(0, this.length));
  }
}

const FLAGS = ['false', 'true'];

/**
 * Prepares to write columns as text.
 * @param after what follows the last value of a row
 * @returns a function that reads the values of `count` rows and returns the writer of one row, counted from 0
 */
export function columnsWriter<Rows>(
  columns: readonly OutputColumn<Rows>[],
  format: TextFormat,
  lists: TextLists,
  after = format.after,
) {
  const bytesOf = (text: string) => Buffer.byteLength(text) + STEP_BYTES;
  let maxBytes = bytesOf(after);
  const writers = columns.map(({ name, texts, type, decimals }, index) => {
    const before = format.before(name, index);
    const quoted = texts === undefined ? [] : lists[texts].map(format.quote);
    maxBytes += bytesOf(before) + Math.max(NUMBER_BYTES, ...quoted.map(bytesOf));
    return valueWriter(decimals, before, type === 'flag' ? FLAGS : quoted);
  });
  const end = fragment(after);
  return (writer: RowWriter, rows: Rows, count: number) => {
    const values = columns.map(({ read }) => {
      const ofRows = new Float64Array(count);
      read(rows, ofRows);
      return ofRows;
    });
    return (row: number): void => {
      writer.reserve(maxBytes);
      for (let column = 0; column < values.length; column++) writers[column](writer, values[column][row]);
      writer.write(end);
    };
  };
}

function valueWriter(decimals: number | undefined, before: string, texts: readonly string[]) {
  if (texts.length > 0) {
    const fragments = texts.map((text) => fragment(before + text));
    return (writer: RowWriter, value: number) => writer.write(fragments[value]);
  }
  const start = fragment(before);
  if (decimals === undefined)
    return (writer: RowWriter, value: number) => {
      writer.write(start);
      writer.writeNumber(value);
    };
  const scale = 10 ** decimals;
  return (writer: RowWriter, value: number) => {
    writer.write(start);
    writer.writeDecimal(Math.round(value * scale), decimals);
  };
}
