import { isUtf8 } from 'node:buffer';
import type { ApiError } from '../errors/api-error.js';
import {
  checkRowCount,
  lineError,
  maxRowsOf,
  type TableRequest,
  type TableState,
  tableError,
} from '../table/table-request.js';

export const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Where a line that ends at `end` ends without its LF or CRLF. */
export function withoutLineEnd(body: Buffer, end: number): number {
  const before = body[end - 1] === LINE_FEED ? end - 1 : end;
  return body[before - 1] === CARRIAGE_RETURN ? before - 1 : before;
}

/** Where a text starts, after a byte order mark. @throws ApiError invalid_request where it is empty or not UTF-8 */
function textStart(body: Buffer): number {
  if (body.length === 0) throw tableError('the body is empty');
  if (!isUtf8(body))
    throw lineError(
      firstLineNotUtf8(body),
      'is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), not as Latin-1, Windows-1252 or UTF-16',
    );
  return hasByteOrderMark(body) ? BYTE_ORDER_MARK.length : 0;
}

export function hasByteOrderMark(body: Buffer): boolean {
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** Where a text ends without the blank lines at its end. @param hasSpaces whether these may have spaces and tabs */
function textEnd(body: Buffer, start: number, hasSpaces: boolean): number {
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

/** Lines can be checked one by one, since no byte of a character beyond ASCII is a line feed. */
function firstLineNotUtf8(body: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = body.indexOf(LINE_FEED, start) + 1;
    if (end === 0 || !isUtf8(body.subarray(start, end))) return line;
    start = end;
  }
}

/** Most bytes of a row: rows are read one by one into memory. */
export const MAX_ROW_BYTES = 2 ** 20;

/** Most bytes of a chunk, if it has more than one row. */
export const CHUNK_BYTES = 2 ** 20;

/** How far the check of a body of text has come. */
export interface TextState extends TableState {
  /** Where the next row starts. */
  readonly at: number;
}

/** The check of a body of text, which puts its rows into chunks: each has CHUNK_BYTES at most if it is not one row. */
export class TextCheck {
  /** The body without the blank lines at its end. */
  readonly text: Buffer;
  at: number;
  rowCount: number;
  readonly #chunks: { from: number; count: number; start: number; end: number }[];

  /** @param hasSpaces whether blank lines may have spaces and tabs @throws ApiError as `textStart` */
  constructor(
    private readonly body: Buffer,
    private readonly request: TableRequest,
    before: TextState | undefined,
    hasSpaces: boolean,
  ) {
    this.at = before?.at ?? textStart(body);
    this.text = body.subarray(0, textEnd(body, this.at, hasSpaces));
    this.rowCount = before?.rowCount ?? 0;
    this.#chunks = (before?.chunks ?? []).map((chunk) => ({ ...chunk }));
  }

  /** Adds the row of the bytes [start, end). @param names of the columns so far */
  addRow(start: number, end: number, names: readonly string[]): void {
    const { request } = this;
    const from = this.rowCount++;
    if (from >= request.limit.max) return; // the table is refused
    const last = this.#chunks.at(-1);
    if (last === undefined || last.count >= maxRowsOf(names, request) || end - last.start > CHUNK_BYTES)
      this.#chunks.push({ from, count: 1, start, end });
    else {
      last.count++;
      last.end = end;
    }
  }

  /** The error of a body with something wrong in the line that holds an offset. */
  error(offset: number, message: string): ApiError {
    let line = 1;
    for (let at = this.body.indexOf(LINE_FEED); at !== -1 && at < offset; line++)
      at = this.body.indexOf(LINE_FEED, at + 1);
    return lineError(line, message);
  }

  get isChecked(): boolean {
    return this.at >= this.text.length;
  }

  /** @throws ApiError batch_too_large */
  end(): TextState {
    const { at, rowCount, isChecked } = this;
    if (isChecked) checkRowCount(rowCount, this.request);
    return { at, rowCount, chunks: this.#chunks, isChecked };
  }
}
