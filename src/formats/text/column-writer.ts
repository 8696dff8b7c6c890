import { type Fragment, fragment, NUMBER_BYTES, WORD_BYTES } from '../json/json-writer.js';
import type { OutputColumn, TextLists } from '../table/output-columns.js';
import type { RowWriter } from './row-writer.js';
import type { TextFormat } from './text-formats.js';

const FLAGS = ['false', 'true'];

export class ColumnWriter<Rows> {
  readonly #writers: readonly ((value: number) => void)[];
  readonly #after: Fragment;
  /** Most bytes of a row. */
  readonly #maxBytes: number;
  /** The values of each column. */
  readonly #values: readonly Float64Array[];

  /**
   * @param capacity most rows that are read at a time
   * @param after what follows the last value of a row
   */
  constructor(
    private readonly columns: readonly OutputColumn<Rows>[],
    capacity: number,
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
    this.#values = columns.map(() => new Float64Array(capacity));
    this.#after = fragment(after);
    this.#maxBytes = maxBytes;
  }

  /** Reads the values of rows, which can then be written. */
  read(rows: Rows): void {
    for (const [index, column] of this.columns.entries()) column.read(rows, this.#values[index]);
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
