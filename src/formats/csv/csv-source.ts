import { Field, Schema, Utf8 } from 'apache-arrow';
import { textColumn } from '../arrow/column-builder.js';
import type { TableChunk } from '../table/table-request.js';
import type { ArrowBatch, ChunkRows, TableSource } from '../table/table-source.js';
import { withoutLineEnd } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { fromLatin1 } from '../text/text-formats.js';
import { readRows } from './csv-rows.js';

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

/** The number of a cell; NaN if it is not a number. White space around it does not matter. */
function numberOf(cell: string): number {
  const number = Number(cell);
  if (number === 0 && cell.trim() === '') return Number.NaN;
  // Number() reads 0x1f, 0b1 and 0o7, too. Most cells begin with two characters that exclude this.
  const isUsual = cell.charCodeAt(0) > 0x20 && !(cell.charCodeAt(1) > 0x39);
  return !isUsual && /^\s*0[xbo]/i.test(cell) ? Number.NaN : number;
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

  number(row: number, column: number): number {
    return numberOf(this.#cells[row][column]);
  }

  statesNumber(row: number, column: number): boolean {
    const cell = this.#cells[row][column];
    return cell !== '' && cell !== NOT_AVAILABLE;
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

  arrowBatches(): ArrowBatch[] {
    const columns = this.#cells[0].map((_, column) => textColumn(this.#cells.map((row) => row[column])));
    return [{ rowCount: this.#cells.length, columns }];
  }
}
