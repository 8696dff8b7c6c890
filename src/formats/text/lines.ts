import { isUtf8 } from 'node:buffer';
import { lineError, type TableState, tableError } from '../table/table-request.js';

export const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const UTF_16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** The number of the line that holds an offset, counted from 1. */
export function lineAt(body: Buffer, offset: number): number {
  let line = 1;
  for (let at = body.indexOf(LINE_FEED); at !== -1 && at < offset; at = body.indexOf(LINE_FEED, at + 1))
    line++;
  return line;
}

/** The end of a text that ends at `end`, without LF or CRLF. */
export function withoutLineEnd(body: Buffer, end: number): number {
  const before = body[end - 1] === LINE_FEED ? end - 1 : end;
  return body[before - 1] === CARRIAGE_RETURN ? before - 1 : before;
}

/**
 * Checks that a body is UTF-8 and not empty.
 * @returns the offset of its text, after a byte order mark
 * @throws ApiError invalid_request
 */
export function textStart(body: Buffer): number {
  if (body.length === 0) throw tableError('the body is empty');
  if (!isUtf8(body)) {
    const startsWith = (mark: Buffer) => body.subarray(0, mark.length).equals(mark);
    if (UTF_16_MARKS.some(startsWith)) throw tableError('it is UTF-16: save it as UTF-8');
    throw lineError(
      firstLineNotUtf8(body),
      'is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), not as Latin-1 or Windows-1252',
    );
  }
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
}

/** Where a text ends without the blank lines at its end. @param hasSpaces whether these may have spaces and tabs */
export function textEnd(body: Buffer, start: number, hasSpaces: boolean): number {
  let end = body.length;
  for (; end > start; end--) {
    const byte = body[end - 1];
    const isSpace = byte === SPACE || byte === TAB;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN && !(isSpace && hasSpaces)) break;
  }
  // The line end of the last line is kept.
  if (body[end] === CARRIAGE_RETURN) end++;
  return body[end] === LINE_FEED ? end + 1 : end;
}

/** No byte of a character beyond ASCII is a line feed: lines can be checked one by one. */
function firstLineNotUtf8(body: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = body.indexOf(LINE_FEED, start) + 1 || body.length;
    if (end === body.length || !isUtf8(body.subarray(start, end))) return line;
    start = end;
  }
}

/** Most bytes of a row: rows are read one by one into memory. */
export const MAX_ROW_BYTES = 2 ** 20;

/** Most bytes of a chunk, if it has more than one row. */
export const CHUNK_BYTES = 2 ** 20;

/** Puts the rows of a text into chunks, each of CHUNK_BYTES at most if it is not one row. */
export class ChunkList {
  readonly chunks: { from: number; count: number; start: number; end: number }[];
  rowCount: number;

  /**
   * @param before the chunks of the rows before
   * @param rowLimit rows beyond it are counted, and have no chunk: the table is refused
   */
  constructor(
    before: TableState | undefined,
    private readonly rowLimit: number,
  ) {
    this.chunks = (before?.chunks ?? []).map((chunk) => ({ ...chunk }));
    this.rowCount = before?.rowCount ?? 0;
  }

  /** Adds the row of the bytes [start, end). @param maxRows of a chunk */
  add(start: number, end: number, maxRows: number): void {
    const from = this.rowCount++;
    if (from >= this.rowLimit) return;
    const last = this.chunks[this.chunks.length - 1];
    if (last === undefined || last.count >= maxRows || end - last.start > CHUNK_BYTES)
      this.chunks.push({ from, count: 1, start, end });
    else {
      last.count++;
      last.end = end;
    }
  }
}
