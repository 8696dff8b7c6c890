import type { PredictorData } from '../../prediction/predictor-data.js';
import { ERROR_COLUMNS, tableColumns, textListsOf } from '../table/output-columns.js';
import type { TableRequest } from '../table/table-request.js';
import {
  type ChunkRows,
  ENCODED_CHUNK_BYTES,
  type TableOutput,
  type TableSource,
} from '../table/table-source.js';
import { columnsWriter, RowWriter } from './row-writer.js';
import { csvCell, csvFormat, NDJSON, toLatin1 } from './text-formats.js';

/** Writes the answer to a table as CSV or JSON lines: of each row the uploaded columns and then ours. */
export function textOutput(
  { names, lineEnd = '\n', hasMark = false }: TableSource,
  data: PredictorData,
  { format: uploaded, output, horizons, intervals }: TableRequest,
): TableOutput {
  const isCsv = output === 'csv';
  const format = isCsv ? csvFormat(lineEnd) : NDJSON;
  const { quote, nothing, after } = format;
  const columns = tableColumns(horizons, intervals);
  const ours = columns.map(({ name }) => name);
  const [code, message] = ERROR_COLUMNS.map((name) => format.before(name, columns.length));
  const noError = code + nothing + message + nothing + after;
  const noAnswer = ours.map((name, i) => format.before(name, i) + nothing).join('');
  const answerWriter = columnsWriter(columns, format, textListsOf(data), noError);
  /** What precedes each uploaded value. */
  const before = names.map((name, i) =>
    isCsv ? '' : `${i === 0 ? '{' : ''}${toLatin1(JSON.stringify(name))}:`,
  );

  const header = [...names, ...ours, ...ERROR_COLUMNS].map(csvCell).join(',') + lineEnd;
  const writeUploaded = (writer: RowWriter, rows: ChunkRows, row: number) => {
    if (uploaded === output && rows.copy?.(writer, row)) return;
    let text = '';
    for (let column = 0; column < before.length; column++) {
      const value = isCsv ? csvCell(rows.text(row, column) ?? '') : rows.json(row, column);
      text += `${before[column]}${value},`;
    }
    writer.writeBytes(text);
  };

  return {
    head: Buffer.from(isCsv ? (hasMark ? '\ufeff' : '') + header : ''),
    encode(rows, predicted, errors) {
      const { count } = rows.chunk;
      const writer = new RowWriter();
      const writeAnswer = answerWriter(writer, predicted, count);
      let row = 0;
      for (; row < count && writer.length <= ENCODED_CHUNK_BYTES; row++) {
        writeUploaded(writer, rows, row);
        const error = errors.get(row);
        if (error === undefined) writeAnswer(row);
        else writer.writeText(noAnswer + code + quote(error.code) + message + quote(error.message) + after);
      }
      return { bytes: writer.written(), rowCount: row };
    },
    tail: Buffer.from(''),
  };
}
