import type { PredictorData } from '../../prediction/predictor.js';
import { ERROR_COLUMNS, type PredictedRows, tableColumns, textListsOf } from '../table/output-columns.js';
import type { TableRequest } from '../table/table-request.js';
import {
  type ChunkRows,
  ENCODED_CHUNK_BYTES,
  type EncodedRows,
  type RowErrors,
  type TableOutput,
  type TableSource,
} from '../table/table-source.js';
import { ColumnWriter, RowWriter } from './row-writer.js';
import { csvCell, csvFormat, NDJSON, type TextFormat, toLatin1 } from './text-formats.js';

/** Writes the answer to a table as CSV or JSON lines: of each row the uploaded columns and then ours. */
export class TextOutput implements TableOutput {
  readonly head: Uint8Array;
  readonly tail = new Uint8Array(0);
  readonly #writer = new RowWriter();
  readonly #format: TextFormat;
  readonly #answer: ColumnWriter<PredictedRows>;
  /** Our columns of a row that has no prediction, up to its error. */
  readonly #unanswered: string;
  /** What precedes the error code of a row and its message. */
  readonly #beforeError: readonly string[];
  /** What precedes each uploaded value. */
  readonly #before: readonly string[];

  constructor(
    { names, lineEnd = '\n' }: TableSource,
    artefacts: PredictorData,
    private readonly request: TableRequest,
  ) {
    const { output, horizons, intervals } = request;
    const columns = tableColumns(horizons, intervals);
    const ours = columns.map(({ name }) => name);
    const format = output === 'csv' ? csvFormat(lineEnd) : NDJSON;
    this.#format = format;
    this.#beforeError = ERROR_COLUMNS.map((name) => format.before(name, columns.length));
    const after = this.#beforeError.map((before) => before + format.nothing).join('') + format.after;
    this.#answer = new ColumnWriter(columns, format, textListsOf(artefacts), this.#writer, after);
    this.#unanswered = ours.map((name, i) => format.before(name, i) + format.nothing).join('');
    if (output === 'csv') {
      this.head = Buffer.from([...names, ...ours, ...ERROR_COLUMNS].map(csvCell).join(',') + lineEnd);
      this.#before = names.map(() => '');
    } else {
      this.head = new Uint8Array(0);
      this.#before = names.map((name, i) => `${i === 0 ? '{' : ''}${toLatin1(JSON.stringify(name))}:`);
    }
  }

  encode(rows: ChunkRows, predicted: PredictedRows, errors: RowErrors): EncodedRows {
    const writer = this.#writer;
    const { quote, after } = this.#format;
    const [code, message] = this.#beforeError;
    const { count } = rows.chunk;
    writer.start();
    this.#answer.read(predicted, count);
    let row = 0;
    for (; row < count && writer.length <= ENCODED_CHUNK_BYTES; row++) {
      this.#writeUploaded(rows, row);
      const error = errors.get(row);
      if (error === undefined) this.#answer.write(row);
      else
        writer.writeText(
          this.#unanswered + code + quote(error.code) + message + quote(error.message) + after,
        );
    }
    return { bytes: writer.written(), rowCount: row };
  }

  #writeUploaded(rows: ChunkRows, row: number): void {
    const { format, output } = this.request;
    if (format === output && rows.copy?.(this.#writer, row)) return;
    let text = '';
    for (let column = 0; column < this.#before.length; column++) {
      const value = output === 'csv' ? csvCell(rows.text(row, column) ?? '') : rows.json(row, column);
      text += `${this.#before[column]}${value},`;
    }
    this.#writer.writeBytes(text);
  }
}
