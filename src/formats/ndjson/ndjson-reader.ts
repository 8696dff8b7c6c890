import { DataType, Field, Schema } from 'apache-arrow';
import { ColumnBuilder } from '../arrow/column-builder.js';
import { show } from '../errors/shown-value.js';
import { CLOSE_OBJECT, JsonError, OPEN_OBJECT, skipSpace } from '../json/json-grammar.js';
import { checkNameBytes, MAX_COLUMNS, readPositions } from '../table/input-columns.js';
import { maxRowsOf, type TableChunk, type TableRequest, tableError } from '../table/table-request.js';
import type { ChunkRows, TableReader, TableSource } from '../table/table-source.js';
import { LINE_FEED, MAX_ROW_BYTES, TextCheck, type TextState } from '../text/lines.js';
import { fromLatin1, toLatin1 } from '../text/text-formats.js';
import { ObjectColumns } from './object-columns.js';

/** About how many bytes are scanned between two checks of the time. */
const LOOK_BYTES = 2 ** 16;

interface NdjsonState extends TextState {
  /** The names of the columns so far as they are written between quotes, and the kinds of their values. */
  readonly written: readonly string[];
  readonly kinds: number[];
}

/** Reads a table of JSON objects, one a line. Its columns are the union of their names. */
export function ndjsonReader(body: Buffer, request: TableRequest): TableReader {
  return {
    check(before: NdjsonState | undefined, isTimeUp): NdjsonState {
      const check = new TextCheck(body, request, before, true);
      const { text } = check;
      const columns = new ObjectColumns(before?.written, before?.kinds);
      while (!check.isChecked) {
        const { at } = check;
        const end = text.indexOf(LINE_FEED, at) + 1 || text.length;
        const first = skipSpace(text, at);
        const refuse = (problem: string) => check.error(at, problem);
        if (first >= end && end < text.length) throw refuse('is blank: remove it');
        if (first < end) {
          if (end - at > MAX_ROW_BYTES) throw refuse(`has more than ${MAX_ROW_BYTES} bytes`);
          checkObject(body.subarray(0, end), at, first, columns, refuse);
          columns.addKinds(body);
          check.addRow(at, end, columns.names);
        }
        check.at = end;
        if (Math.floor(end / LOOK_BYTES) > Math.floor(at / LOOK_BYTES) && isTimeUp()) break;
      }
      if (check.isChecked) {
        if (check.rowCount === 0) throw tableError('it has no rows: write one JSON object a line');
        readPositions(columns.names);
      }
      const { written, kinds } = columns;
      return { ...check.end(), written, kinds };
    },
    source({ written, kinds }: NdjsonState): TableSource {
      const columns = new ObjectColumns(written, kinds);
      const { names } = columns;
      const maxRows = maxRowsOf(names, request); // a chunk may have more, if later rows added columns
      return {
        names,
        arrowSchema: new Schema(
          names.map((name, column) => new Field(name, columns.arrowType(column), true)),
        ),
        rows: (chunk) => ndjsonRows(body, columns, { ...chunk, count: Math.min(chunk.count, maxRows) }),
      };
    },
  };
}

/** Checks a line. @param lines end with it @param start where it starts @param at where its first value starts */
function checkObject(
  lines: Buffer,
  start: number,
  at: number,
  columns: ObjectColumns,
  refuse: (problem: string) => Error,
): void {
  if (lines[at] !== OPEN_OBJECT)
    throw refuse('is not a JSON object: write one object a line, without brackets and commas around them');
  try {
    const after = skipSpace(lines, columns.scan(lines, at));
    if (after < lines.length) throw new JsonError(after);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw refuse(`is not JSON at byte ${error.offset - start + 1}: write each object on one line`);
  }
  const { doubled, malformed, names, nameBytes } = columns;
  if (malformed !== -1)
    throw refuse(
      `has the field ${show(names[malformed])}, whose name has half of a surrogate pair: rename it`,
    );
  if (doubled !== -1) throw refuse(`has the field ${show(names[doubled])} twice`);
  if (names.length > MAX_COLUMNS)
    throw refuse(`brings the table to ${names.length} columns, and it may have at most ${MAX_COLUMNS}`);
  checkNameBytes(nameBytes); // in every row, since names are kept until the check has ended
}

/** Rows of a table of JSON objects, whose values are found row by row. */
function ndjsonRows(body: Buffer, columns: ObjectColumns, chunk: TableChunk): ChunkRows {
  const { count, start, end } = chunk;
  const starts = new Uint32Array(count + 1).fill(start);
  for (let row = 0; row < count; row++) starts[row + 1] = body.indexOf(LINE_FEED, starts[row]) + 1 || end;
  /** A value as it is written; undefined where the row has none. */
  const writtenAt = (row: number, column: number) => {
    columns.scanOnce(body, starts[row]);
    const valueStart = columns.starts[column];
    return valueStart === 0 ? undefined : body.toString('latin1', valueStart, columns.ends[column]);
  };
  const textAt = (row: number, column: number): string | null => {
    const json = writtenAt(row, column) ?? 'null';
    if (json === 'null') return null;
    if (!json.startsWith('"')) return json;
    return json.includes('\\') ? toLatin1(JSON.parse(fromLatin1(json))) : json.slice(1, -1);
  };
  return {
    chunk,
    starts,
    number(row, column) {
      const json = writtenAt(row, column);
      return json === undefined || json === 'null' ? undefined : Number(json);
    },
    stated(row, column) {
      const json = writtenAt(row, column);
      return json === undefined ? undefined : JSON.parse(fromLatin1(json));
    },
    text: textAt,
    json(): never {
      throw new Error('JSON is copied');
    },
    copy(writer, row) {
      const first = body.indexOf(OPEN_OBJECT, starts[row]);
      const last = body.lastIndexOf(CLOSE_OBJECT, starts[row + 1] - 1);
      writer.copy(body, first, last);
      if (skipSpace(body, first + 1) < last) writer.writeBytes(',');
      return true;
    },
    arrowColumns() {
      const builders = columns.names.map((_, column) => new ColumnBuilder(columns.arrowType(column), count));
      for (let row = 0; row < count; row++)
        for (const [column, builder] of builders.entries()) {
          const text = textAt(row, column);
          if (text === null) builder.clear(row);
          else if (DataType.isFloat(builder.type)) builder.values[row] = Number(text);
          else if (DataType.isBool(builder.type)) builder.values[row] = text === 'true' ? 1 : 0;
          else builder.setText(row, text);
        }
      return builders.map((builder) => builder.data());
    },
  };
}
