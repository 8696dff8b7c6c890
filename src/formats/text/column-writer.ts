import { type Fragment, fragment, NUMBER_BYTES, WORD_BYTES } from '../json/json-writer.js';
import type { OutputColumn, TextLists } from '../table/output-columns.js';
import type { RowWriter } from './row-writer.js';
import type { TextFormat } from './text-formats.js';

const FLAGS = ['false', 'true'];

/** Writes columns of rows in a format of text. */
export class ColumnWriter<Row> {
  readonly #columns: ((row: Row) => void)[];
  readonly #after: Fragment;
  /** Most bytes of a row. */
  readonly #maxBytes: number;

  /** @param after what follows the last value of a row */
  constructor(
    columns: readonly OutputColumn<Row>[],
    format: TextFormat,
    lists: TextLists,
    private readonly writer: RowWriter,
    after = format.after,
  ) {
    const bytesOf = (text: string) => Buffer.byteLength(text) + WORD_BYTES;
    let maxBytes = bytesOf(after);
    this.#columns = columns.map((column, index) => {
      const before = format.before(column.name, index);
      const texts = column.texts === undefined ? [] : lists[column.texts].map((text) => format.quote(text));
      maxBytes += bytesOf(before) + Math.max(NUMBER_BYTES, ...texts.map(bytesOf));
      return valueWriter(column, before, column.type === 'flag' ? FLAGS : texts, writer);
    });
    this.#after = fragment(after);
    this.#maxBytes = maxBytes;
  }

  write(row: Row): void {
    this.writer.reserve(this.#maxBytes);
    for (const write of this.#columns) write(row);
    this.writer.write(this.#after);
  }
}

function valueWriter<Row>(
  { decimals, value }: OutputColumn<Row>,
  before: string,
  texts: readonly string[],
  writer: RowWriter,
): (row: Row) => void {
  if (texts.length > 0) {
    const fragments = texts.map((text) => fragment(before + text));
    return (row) => writer.write(fragments[value(row)]);
  }
  const start = fragment(before);
  if (decimals === undefined)
    return (row) => {
      writer.write(start);
      writer.writeNumber(value(row));
    };
  const scale = 10 ** decimals;
  return (row) => {
    writer.write(start);
    writer.writeDecimal(Math.round(value(row) * scale), decimals);
  };
}
