import type { GenerationData } from '../../prediction/per-generation.js';
import { ERROR_COLUMNS, type PredictedRows, tableColumns, textListsOf } from '../table/output-columns.js';
import type { TableChunk, TableRequest } from '../table/table-request.js';
import {
  type ChunkRows,
  ENCODED_CHUNK_BYTES,
  type EncodedRows,
  type RowOutcomes,
  type TableOutput,
  type TableSource,
} from '../table/table-source.js';
import { ColumnWriter } from './column-writer.js';
import { RowWriter } from './row-writer.js';
import { csvCell, csvFormat, NDJSON, type TextFormat, toLatin1 } from './text-formats.js';

/** Rows whose values are read together: their memory is used again for the next ones. */
const READ_ROWS = 256;

/** Writes the answer to a table as CSV or JSON lines: of each row the uploaded columns and then ours. */
export class TextOutput implements TableOutput {
  readonly #writer = new RowWriter();
  readonly #format: TextFormat;
  readonly #answer: ColumnWriter<PredictedRows>;
  readonly #columnNames: readonly string[];
  /** Our columns of a row that has no prediction, up to its error. */
  readonly #unanswered: string;
  /** The uploaded names as JSON, each with a colon. */
  readonly #members: readonly string[];

  constructor(
    private readonly source: TableSource,
    artefacts: GenerationData['artefacts'],
    { output, horizons, intervals }: TableRequest,
  ) {
    const columns = tableColumns(horizons, intervals);
    const format = output === 'csv' ? csvFormat(source.lineEnd) : NDJSON;
    const withoutError = ERROR_COLUMNS.map((name) => format.before(name, columns.length) + format.nothing);
    const after = withoutError.join('') + format.after;
    this.#format = format;
    this.#answer = new ColumnWriter(columns, READ_ROWS, format, textListsOf(artefacts), this.#writer, after);
    this.#columnNames = columns.map(({ name }) => name);
    this.#unanswered = this.#columnNames.map((name, i) => format.before(name, i) + format.nothing).join('');
    this.#members = source.names.map((name) => `${toLatin1(JSON.stringify(name))}:`);
  }

  head(): Uint8Array {
    if (this.#format === NDJSON) return new Uint8Array(0);
    const names = [...this.source.names, ...this.#columnNames, ...ERROR_COLUMNS];
    return Buffer.from(names.map(csvCell).join(',') + this.#format.after);
  }

  tail(): Uint8Array {
    return new Uint8Array(0);
  }

  encode(rows: ChunkRows, { predicted, errors }: RowOutcomes, { count }: TableChunk): EncodedRows {
    const writer = this.#writer;
    const { before, quote, after } = this.#format;
    const [code, message] = ERROR_COLUMNS.map((name) => before(name, this.#columnNames.length));
    const writeUploaded = this.#format === NDJSON ? this.#writeMembers : this.#writeCells;
    writer.start();
    let position = 0;
    for (; position < count && writer.length <= ENCODED_CHUNK_BYTES; position++) {
      const inRead = position % READ_ROWS;
      if (inRead === 0) this.#answer.read(predicted.slice(position, Math.min(READ_ROWS, count - position)));
      writeUploaded(rows, position);
      const error = errors.get(position);
      if (error === undefined) this.#answer.write(inRead);
      else
        writer.writeText(
          this.#unanswered + code + quote(error.code) + message + quote(error.message) + after,
        );
    }
    return { bytes: writer.written(), rowCount: position };
  }

  readonly #writeCells = (rows: ChunkRows, row: number): void => {
    const writer = this.#writer;
    if (rows.copyCsv?.(writer, row) === true) writer.writeBytes(',');
    else
      for (let column = 0; column < this.#members.length; column++)
        writer.writeBytes(`${csvCell(rows.text(row, column) ?? '')},`);
  };

  readonly #writeMembers = (rows: ChunkRows, row: number): void => {
    const writer = this.#writer;
    if (rows.copyJson !== undefined) {
      rows.copyJson(writer, row);
      return;
    }
    let json = '{';
    for (let column = 0; column < this.#members.length; column++)
      json += `${this.#members[column]}${rows.json(row, column)},`;
    writer.writeBytes(json);
  };
}
