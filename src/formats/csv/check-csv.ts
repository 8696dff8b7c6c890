import { readPositions } from '../table/input-columns.js';
import {
  checkRowCount,
  lineError,
  maxRowsOf,
  type TableRequest,
  type TableState,
  tableError,
} from '../table/table-request.js';
import { ChunkList, LINE_FEED, lineAt, MAX_ROW_BYTES, textEnd, textStart } from '../text/lines.js';
import { fromLatin1 } from '../text/text-formats.js';
import { readRows } from './csv-rows.js';
import type { CsvHeader } from './csv-source.js';

export interface CsvState extends TableState {
  readonly format: 'csv';
  /** Where the next row starts. */
  readonly at: number;
  readonly header: CsvHeader | undefined;
}

/**
 * Checks some more of a CSV table (RFC 4180, with a header line; LF or CRLF).
 *
 * Text is parsed as latin1, whatever its characters: every character is a byte, and positions are offsets in the body.
 * @param before how far the check has come
 * @throws ApiError invalid_request, batch_too_large
 */
export function checkCsv(
  body: Buffer,
  request: TableRequest,
  before: CsvState | undefined,
  isTimeUp: () => boolean,
): CsvState {
  let at = before?.at ?? textStart(body);
  const text = body.subarray(0, textEnd(body, at, false));
  let header = before?.header;
  let maxRows = header === undefined ? 0 : maxRowsOf(header.names, request);
  const list = new ChunkList(before, request.rowLimit);
  while (at < text.length) {
    const start = at;
    const lines = text.toString('latin1', start, windowEnd(text, start));
    const refuse = (offset: number, problem: string) => lineError(lineAt(body, start + offset), problem);
    const addRow = (cells: readonly string[], from: number, end: number) => {
      if (cells.length === 1 && cells[0] === '') throw refuse(from, 'is blank: remove it');
      if (header === undefined) {
        header = readHeader(cells, lines[end - 2] === '\r');
        maxRows = maxRowsOf(header.names, request);
      } else if (cells.length !== header.names.length) throw refuse(from, fieldCount(cells, header.names));
      else list.add(start + from, start + end, maxRows);
    };
    at += readRows(lines, addRow, (quote) => refuse(quote, TEXT_AFTER_QUOTE));
    if (at < text.length && start + lines.length === text.length) throw refuse(at - start, NOT_CLOSED);
    if (at === start) throw rowTooLong(body, at);
    if (isTimeUp()) break;
  }
  const { chunks, rowCount } = list;
  const isChecked = at >= text.length;
  if (isChecked && header === undefined) throw tableError('it has no header line');
  if (isChecked) checkRowCount(rowCount, request);
  return { format: 'csv', at, header, chunks, rowCount, isChecked };
}

const TEXT_AFTER_QUOTE = 'has a quoted field with text after its quote: write a quote within a field twice';
const NOT_CLOSED = 'has a quoted field that is not closed by a quote';

function readHeader(cells: readonly string[], endsWithCrLf: boolean): CsvHeader {
  const names = cells.map(fromLatin1);
  readPositions(names, remedyOf(names));
  return { names, lineEnd: endsWithCrLf ? '\r\n' : '\n' };
}

/** What to do where columns are missing. */
function remedyOf(names: readonly string[]): string {
  const has = (separator: string) => names.some((name) => name.includes(separator));
  if (has('\r')) return '. End lines with LF or CRLF, not with CR alone';
  if (has(';'))
    return '. Separate the columns with commas, not with semicolons, and write decimals with a point';
  if (has('\t')) return '. Separate the columns with commas, not with tabs';
  return has('|') ? '. Separate the columns with commas, not with vertical bars' : '';
}

/** The end of the last line that ends within MAX_ROW_BYTES of `start`, or that of the body. */
function windowEnd(body: Buffer, start: number): number {
  const end = start + MAX_ROW_BYTES;
  if (end >= body.length) return body.length;
  const lineEnd = body.lastIndexOf(LINE_FEED, end) + 1;
  if (lineEnd <= start) throw rowTooLong(body, start);
  return lineEnd;
}

function fieldCount({ length }: readonly string[], names: readonly string[]): string {
  const fields = `${length} field${length === 1 ? '' : 's'}`;
  const isMore = length > names.length;
  const remedy = isMore ? ': quote fields that contain a comma, and write decimals with a point' : '';
  return `has ${fields}, but the header has ${names.length}${remedy}`;
}

function rowTooLong(body: Buffer, start: number): Error {
  return lineError(
    lineAt(body, start),
    `begins a row of more than ${MAX_ROW_BYTES} bytes; is there a quote that is not closed?`,
  );
}
