import Papa from 'papaparse';
import { readPositions } from '../table/input-columns.js';
import {
  checkRowCount,
  lineError,
  maxRowsOf,
  type TableRequest,
  type TableState,
  tableError,
} from '../table/table-request.js';
import {
  CARRIAGE_RETURN,
  ChunkList,
  LINE_FEED,
  lineAt,
  MAX_ROW_BYTES,
  textEnd,
  textStart,
} from '../text/lines.js';
import { fromLatin1 } from '../text/text-formats.js';
import { CSV_GRAMMAR, type CsvHeader } from './csv-source.js';

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
    const consumed = eachRow(text, at, windowEnd(text, at), (cells, rowStart, rowEnd) => {
      if (cells.length === 1 && (cells[0] === '' || cells[0] === '\r'))
        throw lineError(lineAt(body, rowStart), 'is blank: remove it');
      if (header === undefined) {
        header = readHeader(cells, body[rowEnd - 2] === CARRIAGE_RETURN);
        maxRows = maxRowsOf(header.names, request);
      } else if (cells.length !== header.names.length)
        throw wrongFieldCount(lineAt(body, rowStart), cells, header.names);
      else list.add(rowStart, rowEnd, maxRows);
    });
    if (consumed === at) throw rowTooLong(body, at);
    at = consumed;
    if (isTimeUp()) break;
  }
  const { chunks, rowCount } = list;
  const isChecked = at >= text.length;
  if (isChecked && header === undefined) throw tableError('it has no header line');
  if (isChecked) checkRowCount(rowCount, request);
  return { format: 'csv', at, header, chunks, rowCount, isChecked };
}

function readHeader(cells: readonly string[], endsWithCrLf: boolean): CsvHeader {
  const names = [...cells.slice(0, -1), cells[cells.length - 1].replace(/\r$/, '')].map(fromLatin1);
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

/**
 * Parses the rows of the bytes [start, end).
 * @returns where the first incomplete row starts; `end` if all are complete
 */
function eachRow(
  body: Buffer,
  start: number,
  end: number,
  onRow: (cells: readonly string[], rowStart: number, rowEnd: number) => void,
): number {
  const text = body.toString('latin1', start, end);
  const wrongQuote = wrongQuoteIn(text);
  if (wrongQuote !== -1) throw wrongQuotes(lineAt(body, start + wrongQuote), 'InvalidQuotes');
  let rowStart = start;
  Papa.parse<string[]>(text, {
    ...CSV_GRAMMAR,
    step({ data, errors: [error], meta }, parser) {
      const rowEnd = start + meta.cursor;
      if (rowStart === end) return; // the empty row that Papa Parse reports after the last line end
      if (error !== undefined) {
        if (error.code === 'MissingQuotes' && end < body.length) {
          parser.abort();
          return;
        }
        throw wrongQuotes(lineAt(body, rowStart), error.code);
      }
      onRow(data, rowStart, rowEnd);
      rowStart = rowEnd;
    },
  });
  return rowStart;
}

const SPACES = /[^\S\n]*/y;

/** Where a quoted field has text after its quote, or -1. Papa Parse takes quadratic time for such fields. */
function wrongQuoteIn(text: string): number {
  if (!text.includes('"')) return -1;
  let comma = -2;
  let lineFeed = -2;
  let at = 0;
  while (at < text.length) {
    let end: number;
    if (text[at] === '"') {
      let quote = text.indexOf('"', at + 1);
      while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
      if (quote === -1) return -1; // not closed, which is said elsewhere
      SPACES.lastIndex = quote + 1;
      SPACES.test(text);
      end = SPACES.lastIndex;
      if (end < text.length && text[end] !== ',' && text[end] !== '\n') return quote;
    } else {
      if (comma !== -1 && comma < at) comma = text.indexOf(',', at);
      if (lineFeed !== -1 && lineFeed < at) lineFeed = text.indexOf('\n', at);
      end = comma === -1 || lineFeed === -1 ? Math.max(comma, lineFeed) : Math.min(comma, lineFeed);
      if (end === -1) return -1;
    }
    at = end + 1;
  }
  return -1;
}

function wrongQuotes(line: number, code: string): Error {
  if (code === 'MissingQuotes') return lineError(line, 'has a quoted field that is not closed by a quote');
  return lineError(line, 'has a quoted field with text after its quote: write a quote within a field twice');
}

function wrongFieldCount(line: number, cells: readonly string[], names: readonly string[]): Error {
  const isMore = cells.length > names.length;
  const fields = `${cells.length} field${cells.length === 1 ? '' : 's'}`;
  const remedy = isMore ? ': quote fields that contain a comma, and write decimals with a point' : '';
  return lineError(line, `has ${fields}, but the header has ${names.length}${remedy}`);
}

function rowTooLong(body: Buffer, start: number): Error {
  return lineError(
    lineAt(body, start),
    `begins a row of more than ${MAX_ROW_BYTES} bytes; is there a quote that is not closed?`,
  );
}
