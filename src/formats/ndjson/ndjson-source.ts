import { type Data, DataType, Field, Schema } from 'apache-arrow';
import { ColumnBuilder } from '../arrow/column-builder.js';
import { CLOSE_OBJECT, numberAt, OPEN_OBJECT, QUOTE, skipSpace } from '../request/json.js';
import { maxRowsOf, type TableChunk, type TableRequest } from '../table/table-request.js';
import type { ArrowBatch, ChunkRows, TableSource } from '../table/table-source.js';
import { LINE_FEED } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { toLatin1 } from '../text/text-formats.js';
import type { NdjsonState } from './check-ndjson.js';
import { ObjectColumns, unquoted } from './object-columns.js';

const [LETTER_N, LETTER_T] = Buffer.from('nt');

/** A table of JSON objects whose grammar was checked. */
export function ndjsonSource(body: Buffer, request: TableRequest, state: NdjsonState): TableSource {
  const columns = new ObjectColumns(state.written, state.kinds);
  const { names } = columns;
  return {
    names,
    arrowSchema: new Schema(names.map((name, column) => new Field(name, columns.arrowType(column), true))),
    // Rows may have more columns than the first of their chunk had.
    rows: (chunk) => new NdjsonRows(body, columns, maxRowsOf(names, request), chunk),
  };
}

/** Rows of a table of JSON objects, whose values are found row by row. */
class NdjsonRows implements ChunkRows {
  readonly starts: Uint32Array;

  constructor(
    private readonly body: Buffer,
    private readonly columns: ObjectColumns,
    private readonly batchRows: number,
    readonly chunk: TableChunk,
  ) {
    this.starts = new Uint32Array(chunk.count + 1).fill(chunk.start);
    for (let row = 1; row < chunk.count; row++)
      this.starts[row] = body.indexOf(LINE_FEED, this.starts[row - 1]) + 1;
    this.starts[chunk.count] = chunk.end;
  }

  number(row: number, column: number): number {
    const start = this.#startOf(row, column);
    return start === 0 ? Number.NaN : numberAt(this.body, start);
  }

  statesNumber(row: number, column: number): boolean {
    const start = this.#startOf(row, column);
    return start !== 0 && this.body[start] !== LETTER_N;
  }

  stated(row: number, column: number): unknown {
    const start = this.#startOf(row, column);
    return start === 0 ? undefined : JSON.parse(this.body.toString('utf8', start, this.columns.ends[column]));
  }

  text(row: number, column: number): string | null {
    const { body } = this;
    const start = this.#startOf(row, column);
    if (start === 0 || body[start] === LETTER_N) return null;
    const end = this.columns.ends[column];
    if (body[start] !== QUOTE) return body.toString('latin1', start, end);
    const text = body.toString('latin1', start + 1, end - 1);
    return text.includes('\\') ? toLatin1(unquoted(body.toString('utf8', start + 1, end - 1))) : text;
  }

  json(): never {
    throw new Error('JSON is copied');
  }

  copy(writer: RowWriter, row: number): true {
    const start = this.body.indexOf(OPEN_OBJECT, this.starts[row]);
    const end = this.body.lastIndexOf(CLOSE_OBJECT, this.starts[row + 1] - 1);
    writer.copy(this.body, start, end);
    if (skipSpace(this.body, start + 1) < end) writer.writeBytes(',');
    return true;
  }

  *arrowBatches(): Generator<ArrowBatch> {
    const { count } = this.chunk;
    for (let from = 0; from < count; from += this.batchRows) {
      const rowCount = Math.min(this.batchRows, count - from);
      yield { rowCount, columns: this.#arrowColumns(from, rowCount) };
    }
  }

  /** Where the value of a column starts in the body; 0 where the row has none. */
  #startOf(row: number, column: number): number {
    this.columns.scanOnce(this.body, this.starts[row]);
    return this.columns.starts[column];
  }

  #arrowColumns(from: number, count: number): Data[] {
    const { columns } = this;
    const builders = columns.names.map((_, column) => new ColumnBuilder(columns.arrowType(column), count));
    for (let row = 0; row < count; row++)
      for (const [column, builder] of builders.entries()) {
        const start = this.#startOf(from + row, column);
        if (start === 0 || this.body[start] === LETTER_N) builder.clear(row);
        else if (DataType.isFloat(builder.type)) builder.values[row] = numberAt(this.body, start);
        else if (DataType.isBool(builder.type)) builder.values[row] = this.body[start] === LETTER_T ? 1 : 0;
        else builder.setText(row, this.text(from + row, column) ?? '');
      }
    return builders.map((builder) => builder.data());
  }
}
