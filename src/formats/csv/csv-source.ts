import { type Data, Field, Schema, Utf8 } from 'apache-arrow';
import { textColumn } from '../arrow/column-builder.js';
import type { TableChunk } from '../table/table-request.js';
import type { ChunkRows, TableSource } from '../table/table-source.js';
import { withoutLineEnd } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { fromLatin1 } from '../text/text-formats.js';

/** The characters of a field without quotes, and what may follow the quote that closes one. */
const UNQUOTED = /[^,\n]*/y;
const SPACES = /[^\S\n]*/y;

/**
 * Reads the rows of a CSV text (RFC 4180; LF or CRLF). Spaces after a closing quote are left out.
 * @param onRow receives the cells of a row, and where it starts and ends in the text
 * @param wrongQuote makes the error for the quote at an offset, which text of its field follows
 * @returns where the row starts that has a quote that is not closed; the length of the text if none has
 */
export function readRows(
  text: string,
  onRow: (cells: string[], start: number, end: number) => void,
  wrongQuote: (offset: number) => Error,
): number {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    let end: number;
    do {
      if (text[at] === '"') {
        const quote = closingQuote(text, at + 1);
        if (quote === -1) return start;
        end = endOf(SPACES, text, quote + 1);
        if (end < text.length && text[end] !== ',' && text[end] !== '\n') throw wrongQuote(quote);
        cells.push(text.slice(at + 1, quote).replaceAll('""', '"'));
      } else {
        end = endOf(UNQUOTED, text, at);
        const cell = text.slice(at, end);
        cells.push(text[end] !== ',' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
      }
      at = end + 1;
    } while (text[end] === ',');
    onRow(cells, start, Math.min(at, text.length));
  }
  return text.length;
}

/** The quote that closes a field whose text starts at an offset; -1 if none does. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

/** Where the characters of a sticky pattern end, from an offset on. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}

/** What R writes by default where a value is missing. */
const NOT_AVAILABLE = 'NA';

export interface CsvHeader {
  readonly names: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
}

/** A CSV table whose grammar was checked. */
export function csvSource(body: Buffer, { names, lineEnd }: CsvHeader): TableSource {
  return {
    names,
    lineEnd,
    arrowSchema: new Schema(names.map((name) => new Field(name, new Utf8(), false))),
    rows: (chunk) => new CsvRows(body, chunk),
  };
}

/** What Number() reads, too: white space as 0, and 0x1f, 0b1 and 0o7. */
const NOT_DECIMAL = /^\s*($|0[xbo])/i;

/** The number of a cell; NaN if it is not a number. White space around it does not matter. */
function numberOf(cell: string): number {
  return NOT_DECIMAL.test(cell) ? Number.NaN : Number(cell);
}

/** Rows of a CSV table, parsed into cells: those with quotes take up to 16 times their bytes. */
class CsvRows implements ChunkRows {
  readonly starts: Uint32Array;
  readonly #cells: string[][] = [];
  readonly #hasQuotes: boolean;

  constructor(
    private readonly body: Buffer,
    readonly chunk: TableChunk,
  ) {
    const { start, end, count } = chunk;
    const text = body.toString('latin1', start, end);
    this.#hasQuotes = text.includes('"');
    this.starts = new Uint32Array(count + 1).fill(start);
    const addRow = (cells: string[], _: number, rowEnd: number) => {
      this.starts[this.#cells.push(cells)] = start + rowEnd;
    };
    readRows(text, addRow, () => new Error('the table was checked'));
  }

  number(row: number, column: number): number | undefined {
    const cell = this.#cells[row][column];
    return cell === '' || cell === NOT_AVAILABLE ? undefined : numberOf(cell);
  }

  stated(row: number, column: number, isText: boolean): unknown {
    const cell = this.#cells[row][column];
    if (cell === '') return undefined;
    const number = isText ? Number.NaN : numberOf(cell);
    return Number.isFinite(number) ? number : fromLatin1(cell);
  }

  text(row: number, column: number): string {
    return this.#cells[row][column];
  }

  json(row: number, column: number): string {
    return JSON.stringify(this.#cells[row][column]);
  }

  copy(writer: RowWriter, row: number): boolean {
    if (this.#hasQuotes) return false;
    writer.copy(this.body, this.starts[row], withoutLineEnd(this.body, this.starts[row + 1]));
    writer.writeBytes(',');
    return true;
  }

  arrowColumns(): Data[] {
    return this.#cells[0].map((_, column) => textColumn(this.#cells.map((row) => row[column])));
  }
}
