import { show } from '../../prediction/errors/shown-value.js';
import { MAX_NAME_BYTES, REQUIRED_COLUMNS, readPositions } from '../table/input-columns.js';
import { lineError, type TableRequest, tableError } from '../table/table-request.js';
import type { TableReader } from '../table/table-source.js';
import { LINE_FEED, MAX_ROW_BYTES, TextCheck, type TextState } from '../text/lines.js';
import { fromLatin1 } from '../text/text-formats.js';
import { type CsvHeader, csvSource, readRows } from './csv-source.js';

interface CsvState extends TextState {
  readonly header: CsvHeader | undefined;
}

/** Reads a CSV table (RFC 4180, with a header line; LF or CRLF). */
export function csvReader(body: Buffer, request: TableRequest): TableReader {
  return {
    check: (before: CsvState | undefined, isTimeUp) => checkCsv(body, request, before, isTimeUp),
    source: ({ header }: CsvState) => csvSource(body, header as CsvHeader), // a checked table has one
  };
}

/**
 * Checks some more of a CSV table. Text is parsed as latin1, whatever its characters: every character is a byte, and positions
 * are offsets in the body.
 * @throws ApiError invalid_request, batch_too_large
 */
function checkCsv(
  body: Buffer,
  request: TableRequest,
  before: CsvState | undefined,
  isTimeUp: () => boolean,
): CsvState {
  const check = new TextCheck(body, request, before, false);
  const { text } = check;
  let header = before?.header;
  while (!check.isChecked) {
    const start = check.at;
    if (header === undefined) checkFirstLine(text.toString('latin1', start, start + MAX_NAME_BYTES));
    const lines = text.toString('latin1', start, windowEnd(text, start));
    const refuse = (offset: number, problem: string) => check.error(start + offset, problem);
    const addRow = (cells: readonly string[], from: number, end: number) => {
      if (cells.length === 1 && cells[0] === '') throw refuse(from, 'is blank: remove it');
      if (header === undefined) {
        header = { names: cells.map(fromLatin1), lineEnd: lines[end - 2] === '\r' ? '\r\n' : '\n' };
        readPositions(header.names);
      } else if (cells.length !== header.names.length) throw refuse(from, fieldCount(cells, header.names));
      else check.addRow(start + from, start + end, header.names);
    };
    check.at += readRows(lines, addRow, (quote) => refuse(quote, TEXT_AFTER_QUOTE));
    if (!check.isChecked && start + lines.length === text.length) throw refuse(check.at - start, NOT_CLOSED);
    if (check.at === start) throw refuse(0, ROW_TOO_LONG);
    if (isTimeUp()) break;
  }
  if (check.isChecked && header === undefined) throw tableError('it has no header line');
  return { ...check.end(), header };
}

const TEXT_AFTER_QUOTE = 'has a quoted field with text after its quote: write a quote within a field twice';
const ROW_TOO_LONG = `begins a row of more than ${MAX_ROW_BYTES} bytes; is there a quote that is not closed?`;
const NOT_CLOSED = 'has a quoted field that is not closed by a quote';

/** Separators that other programs write, and their names in the plural. */
const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/**
 * Checks that a text begins with a line of names between commas.
 * @throws ApiError invalid_request that says how it is written instead
 */
function checkFirstLine(text: string): void {
  const [line] = text.replaceAll(/"[^"]*"?/g, '').split('\n', 1);
  if (/\r[^\r]/.test(line)) throw tableError('its lines end with CR alone: end them with LF or CRLF');
  if (/^sep=/i.test(line))
    throw lineError(1, `is ${show(line.trim())}, as Excel writes it: remove it, ${COMMAS}`);
  const [, separators] = OTHER_SEPARATORS.find(([separator]) => line.includes(separator)) ?? [];
  const names = line.split(',').length;
  if (separators !== undefined && names < REQUIRED_COLUMNS.length)
    throw tableError(`its columns are separated by ${separators}: ${COMMAS}`);
}

const COMMAS = 'separate the columns with commas, and write decimals with a point';

/** The end of the last line that ends within MAX_ROW_BYTES of `start`, or that of the body; `start` or less if none does. */
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
