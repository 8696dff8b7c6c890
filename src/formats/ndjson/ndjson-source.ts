import { type Data, DataType, Field, Schema } from 'apache-arrow';
import { ColumnBuilder } from '../arrow/column-builder.js';
import { CLOSE_OBJECT, OPEN_OBJECT, skipSpace } from '../request/json.js';
import { maxRowsOf, type TableChunk, type TableRequest } from '../table/table-request.js';
import type { ChunkRows, TableSource } from '../table/table-source.js';
import { LINE_FEED } from '../text/lines.js';
import type { RowWriter } from '../text/row-writer.js';
import { fromLatin1, toLatin1 } from '../text/text-formats.js';
import type { ObjectColumns } from './object-columns.js';

/** A table of JSON objects whose grammar was checked. */
export function ndjsonSource(body: Buffer, request: TableRequest, columns: ObjectColumns): TableSource {
  const { names } = columns;
  const maxRows = maxRowsOf(names, request); // a chunk has more where later rows have more columns
  return {
    names,
    arrowSchema: new Schema(names.map((name, column) => new Field(name, columns.arrowType(column), true))),
    rows: (chunk) => new NdjsonRows(body, columns, { ...chunk, count: Math.min(chunk.count, maxRows) }),
  };
}

/** Rows of a table of JSON objects, whose values are found row by row. */
class NdjsonRows implements ChunkRows {
  readonly starts: Uint32Array;

  constructor(
    private readonly body: Buffer,
    private readonly columns: ObjectColumns,
    readonly chunk: TableChunk,
  ) {
    const { count, start, end } = chunk;
    this.starts = new Uint32Array(count + 1).fill(start);
    for (let row = 0; row < count; row++)
      this.starts[row + 1] = body.indexOf(LINE_FEED, this.starts[row]) + 1 || end;
  }

  number(row: number, column: number): number | undefined {
    const json = this.#json(row, column);
    return json === undefined || json === 'null' ? undefined : Number(json);
  }

  stated(row: number, column: number): unknown {
    const json = this.#json(row, column);
    return json === undefined ? undefined : JSON.parse(fromLatin1(json));
  }

  text(row: number, column: number): string | null {
    const json = this.#json(row, column) ?? 'null';
    if (json === 'null') return null;
    if (!json.startsWith('"')) return json;
    return json.includes('\\') ? toLatin1(JSON.parse(fromLatin1(json))) : json.slice(1, -1);
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

  arrowColumns(): Data[] {
    const { columns } = this;
    const { count } = this.chunk;
    const builders = columns.names.map((_, column) => new ColumnBuilder(columns.arrowType(column), count));
    for (let row = 0; row < count; row++)
      for (const [column, builder] of builders.entries()) {
        const text = this.text(row, column);
        if (text === null) builder.clear(row);
        else if (DataType.isFloat(builder.type)) builder.values[row] = Number(text);
        else if (DataType.isBool(builder.type)) builder.values[row] = text === 'true' ? 1 : 0;
        else builder.setText(row, text);
      }
    return builders.map((builder) => builder.data());
  }

  /** A value as it is written; undefined where the row has none. */
  #json(row: number, column: number): string | undefined {
    const { body, columns } = this;
    columns.scanOnce(body, this.starts[row]);
    const start = columns.starts[column];
    return start === 0 ? undefined : body.toString('latin1', start, columns.ends[column]);
  }
}
