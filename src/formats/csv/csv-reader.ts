import { Field, Schema, Utf8 } from 'apache-arrow';
import { textColumn } from '../arrow/column-builder.js';
import { show } from '../errors/shown-value.js';
import { readPositions } from '../table/input-columns.js';
import { type TableChunk, type TableRequest, tableError } from '../table/table-request.js';
import type { ChunkRows, TableReader, TableSource } from '../table/table-source.js';
import {
  hasByteOrderMark,
  LINE_FEED,
  MAX_ROW_BYTES,
  TextCheck,
  type TextState,
  withoutLineEnd,
} from '../text/lines.js';
import { fromLatin1 } from '../text/text-formats.js';

interface CsvHeader {
  readonly names: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
}

interface CsvState extends TextState {
  readonly header: CsvHeader | undefined;
}

/**
 * Reads a CSV table (RFC 4180, with a header line; LF or CRLF). Text is parsed as latin1, whatever its characters: every
 * character is a byte, and positions are offsets in the body.
 */
export function csvReader(body: Buffer, request: TableRequest): TableReader {
  return {
    check(before: CsvState | undefined, isTimeUp): CsvState {
      const check = new TextCheck(body, request, before, false);
      const { text } = check;
      let header = before?.header;
      while (!check.isChecked) {
        const start = check.at;
        const lines = text.toString('latin1', start, windowEnd(text, start));
        const refuse = (offset: number, problem: string) => check.error(start + offset, problem);
        const addRow = (cells: readonly string[], from: number, end: number) => {
          if (cells.length === 1 && cells[0] === '') throw refuse(from, 'is blank: remove it');
          if (header === undefined) {
            header = { names: cells.map(fromLatin1), lineEnd: lines[end - 2] === '\r' ? '\r\n' : '\n' };
            if (cells.length === 1)
              throw tableError(`its header has one column, ${show(header.names[0])}: ${COMMAS}`);
            readPositions(header.names);
          } else if (cells.length !== header.names.length)
            throw refuse(from, fieldCount(cells, header.names));
          else check.addRow(start + from, start + end, header.names);
        };
        check.at += readRows(lines, addRow, (quote) => refuse(quote, TEXT_AFTER_QUOTE));
        if (!check.isChecked && start + lines.length === text.length)
          throw refuse(check.at - start, 'has an unclosed quoted field');
        if (check.at === start) throw refuse(0, ROW_TOO_LONG);
        if (isTimeUp()) break;
      }
      if (check.isChecked && header === undefined) throw tableError('it has no header line');
      return { ...check.end(), header };
    },
    source({ header }: CsvState): TableSource {
      const { names, lineEnd } = header as CsvHeader; // a checked table has one
      const hasMark = hasByteOrderMark(body);
      const arrowSchema = new Schema(names.map((name) => new Field(name, new Utf8(), false)));
      return { names, lineEnd, hasMark, arrowSchema, rows: (chunk) => csvRows(body, chunk) };
    },
  };
}

const COMMAS = 'separate the columns with commas, and write decimals with a point';
const TEXT_AFTER_QUOTE =
  'has a quoted field with text after its quote: separate fields with commas, and write a quote within a field twice';
const ROW_TOO_LONG = `begins a row of more than ${MAX_ROW_BYTES} bytes: look for a quote that is not closed, or for lines that end with CR alone`;

/** The end of the last line within MAX_ROW_BYTES of `start`, or of the body; `start` or less if no line ends there. */
function windowEnd(body: Buffer, start: number): number {
  const end = start + MAX_ROW_BYTES;
  return end >= body.length ? body.length : body.lastIndexOf(LINE_FEED, end) + 1;
}

function fieldCount({ length }: readonly string[], names: readonly string[]): string {
  const fields = `${length} field${length === 1 ? '' : 's'}`;
  return (
    `has ${fields}, but the header has ${names.length}: separate fields with commas, quote those that contain a comma, ` +
    'and write decimals with a point'
  );
}

/** The characters of a field without quotes, and what may follow the quote that closes one. */
const UNQUOTED = /[^,\n]*/y;
const SPACES = /[^\S\n]*/y;

/**
 * Reads the rows of a CSV text (RFC 4180; LF or CRLF). Spaces after a closing quote are left out.
 * @param onRow receives the cells of a row, and where it starts and ends in the text
 * @param wrongQuote makes the error of a closing quote, at an offset, that is followed by text of its field
 * @returns the start of the row with a quote that is not closed; the length of the text if there is none
 */
function readRows(
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

/** Texts that Number() accepts but a cell must not have as a number: white space (as 0), 0x1f, 0b1 and 0o7. */
const NOT_DECIMAL = /^\s*($|0[xbo])/i;

/** The number of a cell; NaN if it is not a number. White space around it does not matter. */
function numberOf(cell: string): number {
  return NOT_DECIMAL.test(cell) ? Number.NaN : Number(cell);
}

/** Rows of a CSV table, parsed into cells: those with quotes take up to 16 times their bytes. */
function csvRows(body: Buffer, chunk: TableChunk): ChunkRows {
  const { start, end, count } = chunk;
  const text = body.toString('latin1', start, end);
  /** Whether rows are written as they were read: there are no unnecessary quotes, and no CR within a row needs quotes. */
  const areCopied = !text.includes('"') && !(text.includes('\r') && /\r(?!\n)/.test(text));
  const starts = new Uint32Array(count + 1).fill(start);
  const rows: string[][] = [];
  const addRow = (cells: string[], _: number, rowEnd: number) => {
    starts[rows.push(cells)] = start + rowEnd;
  };
  readRows(text, addRow, () => new Error('the table was checked'));
  return {
    chunk,
    starts,
    number(row, column) {
      const cell = rows[row][column];
      return cell === '' || cell === NOT_AVAILABLE ? undefined : numberOf(cell);
    },
    stated(row, column, isText) {
      const cell = rows[row][column];
      if (cell === '') return undefined;
      const number = isText ? Number.NaN : numberOf(cell);
      return Number.isFinite(number) ? number : fromLatin1(cell);
    },
    text: (row, column) => rows[row][column],
    json: (row, column) => JSON.stringify(rows[row][column]),
    copy(writer, row) {
      if (!areCopied) return false;
      writer.copy(body, starts[row], withoutLineEnd(body, starts[row + 1]));
      writer.writeBytes(',');
      return true;
    },
    arrowColumns: () => rows[0].map((_, column) => textColumn(rows.map((row) => row[column]))),
  };
}
