import { isUtf8 } from 'node:buffer';
import { notATable, wrongLine } from '../table-errors.js';
import { JOB_BYTES, type RowRange } from '../table-source.js';

const LINE_FEED = 0x0a;
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

/** The end of a text that ends at `end`, without a line feed. */
export function withoutLineFeed(body: Buffer, end: number): number {
  return body[end - 1] === LINE_FEED ? end - 1 : end;
}

/** The same without LF or CRLF. */
export function withoutLineEnd(body: Buffer, end: number): number {
  const before = withoutLineFeed(body, end);
  return body[before - 1] === CARRIAGE_RETURN ? before - 1 : before;
}

/**
 * Checks that a body is UTF-8 and not empty.
 * @returns the offset of its text, after a byte order mark
 * @throws ApiError invalid_request
 */
export function textStart(body: Buffer): number {
  if (body.length === 0) throw notATable('the body is empty');
  if (!isUtf8(body)) {
    const startsWith = (mark: Buffer) => body.subarray(0, mark.length).equals(mark);
    if (UTF_16_MARKS.some(startsWith)) throw notATable('it is UTF-16: save it as UTF-8');
    throw wrongLine(
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

/** The offsets of rows that follow each other in a body. */
export class OffsetList {
  /** Rows added, also those beyond the limit, whose offsets are not kept. */
  count = 0;
  /** Where the last row ends. */
  end = 0;
  #starts = new Uint32Array(1024);

  constructor(private readonly limit: number) {}

  add(start: number): void {
    const index = this.count++;
    if (index >= this.limit) return;
    if (index === this.#starts.length) {
      const more = new Uint32Array(2 * index);
      more.set(this.#starts);
      this.#starts = more;
    }
    this.#starts[index] = start;
  }

  /** All rows in jobs of at most so many rows, and JOB_BYTES if they are not one row. */
  *jobs(maxRows: number): Generator<RowRange> {
    for (let from = 0, to = 1; to <= this.count; to++) {
      const isFull = to - from === maxRows || this.start(to + 1) - this.start(from) > JOB_BYTES;
      if (!isFull && to < this.count) continue;
      yield { from, count: to - from };
      from = to;
    }
  }

  /** Where a row starts; of the number of rows, where the last one ends. */
  start(row: number): number {
    return row < this.count ? this.#starts[row] : this.end;
  }
}
