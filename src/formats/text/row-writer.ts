import { type Fragment, fragment, JsonWriter, NUMBER_BYTES, WORD_BYTES } from '../json/json-writer.js';
import type { OutputColumn, TextLists } from '../table/output-columns.js';
import type { TextFormat } from './text-formats.js';

/** Texts of more characters are written faster by one call than one by one. */
const LONG = 24;

/** Memory beyond this is given back after large rows. */
const MAX_KEPT_BYTES = 2 ** 22;

/** Writes text as bytes into memory that grows. */
export class RowWriter extends JsonWriter {
  #memory = Buffer.alloc(0);

  start(): void {
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = Buffer.alloc(0);
    this.begin(this.#memory);
  }

  /** Ensures that so many bytes can be written: JsonWriter does not check. */
  reserve(bytes: number): void {
    const { length } = this;
    const needed = length + bytes + WORD_BYTES;
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

/** Writes the values of columns row by row. */
export class ColumnWriter<Rows> {
  readonly #writers: readonly ((value: number) => void)[];
  readonly #after: Fragment;
  /** Most bytes of a row. */
  readonly #maxBytes: number;
  /** The values of each column. */
  #values: readonly Float64Array[] = [];

  /** @param after what follows the last value of a row */
  constructor(
    private readonly columns: readonly OutputColumn<Rows>[],
    format: TextFormat,
    lists: TextLists,
    private readonly writer: RowWriter,
    after = format.after,
  ) {
    const bytesOf = (text: string) => Buffer.byteLength(text) + WORD_BYTES;
    let maxBytes = bytesOf(after);
    this.#writers = columns.map((column, index) => {
      const before = format.before(column.name, index);
      const texts = column.texts === undefined ? [] : lists[column.texts].map((text) => format.quote(text));
      maxBytes += bytesOf(before) + Math.max(NUMBER_BYTES, ...texts.map(bytesOf));
      return valueWriter(column.decimals, before, column.type === 'flag' ? FLAGS : texts, writer);
    });
    this.#after = fragment(after);
    this.#maxBytes = maxBytes;
  }

  /** Reads the values of `count` rows, which can then be written. */
  read(rows: Rows, count: number): void {
    this.#values = this.columns.map((column) => {
      const values = new Float64Array(count);
      column.read(rows, values);
      return values;
    });
  }

  /** Writes one of the rows that were read last, counted from 0. */
  write(row: number): void {
    this.writer.reserve(this.#maxBytes);
    for (let column = 0; column < this.#writers.length; column++)
      this.#writers[column](this.#values[column][row]);
    this.writer.write(this.#after);
  }
}

function valueWriter(
  decimals: number | undefined,
  before: string,
  texts: readonly string[],
  writer: RowWriter,
): (value: number) => void {
  if (texts.length > 0) {
    const fragments = texts.map((text) => fragment(before + text));
    return (value) => writer.write(fragments[value]);
  }
  const start = fragment(before);
  if (decimals === undefined)
    return (value) => {
      writer.write(start);
      writer.writeNumber(value);
    };
  const scale = 10 ** decimals;
  return (value) => {
    writer.write(start);
    writer.writeDecimal(Math.round(value * scale), decimals);
  };
}
