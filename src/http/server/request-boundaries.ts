const CR = 0x0d;
const LF = 0x0a;
const LINE_END = Buffer.from('\r\n');
/** Ends the head of a request, and a chunked body. */
const BLANK_LINE = '\r\n\r\n';
const BLANK_LINE_BYTES = Buffer.from(BLANK_LINE);
/** Bytes of a blank line that may have come before the rest of it. */
const TAIL_BYTES = BLANK_LINE.length - 1;

/** Characters that end a request line: a blank and a version. */
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** A head of fewer bytes has too few lines to count. */
const SMALL_HEAD_BYTES = 2048;

/** A first part of what was received. */
export interface Part {
  /** Bytes. */
  readonly length: number;
  readonly lines: number;
}

/**
 * Finds where the heads and chunked bodies of requests end in the bytes of a connection, however they are divided into
 * what is received at a time. It need not understand them: a blank line ends either, and Node's parser is told no more
 * than the bytes up to it.
 */
export class RequestBoundaries {
  /** The last bytes of a head or body that has not come to its end: an end may come in two parts. */
  #tail = '';
  /** Of the head that is coming. */
  #headBytes = 0;
  #headLines = 0;

  /** Whether the first line of the last head, if it has come, names another protocol than HTTP. */
  isForeign = false;
  /** The end of that line, as far as it has come in an earlier part. */
  #line: string | undefined;

  /** Whether what was looked at last has come to its end. */
  get isAtEnd(): boolean {
    return this.#tail === '';
  }

  /** Bytes of the last head, as far as it has come. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /** Lines of the last head, as far as it has come; those of a small one are not counted. */
  get headLines(): number {
    return this.#headLines;
  }

  /** Whether bytes stand between requests and are line ends, which Node's parser passes over without end. */
  startsWithLineEnds(bytes: Buffer): boolean {
    return this.#tail === '' && isLineEnd(bytes[0]) && isLineEnd(bytes.at(TAIL_BYTES));
  }

  /** The length of the first part that belongs to the head of one request. */
  head(bytes: Buffer): number {
    if (this.#tail === '') {
      this.#headBytes = this.#headLines = 0;
      this.#line = '';
    }
    if (this.#line !== undefined) this.#checkProtocol(bytes, this.#line);
    const at = bytes.indexOf(BLANK_LINE_BYTES);
    const end = this.#endInTwoParts(bytes) ?? (at === -1 ? undefined : at + BLANK_LINE.length);
    const length = end ?? bytes.length;
    this.#headBytes += length;
    if (this.#headBytes > SMALL_HEAD_BYTES) this.#headLines += countLines(bytes.subarray(0, length));
    this.#keepTail(bytes, end);
    return length;
  }

  /** The first part, of so many lines at most, that belongs to one chunked body. */
  chunks(bytes: Buffer, maxLines: number): Part {
    let end = this.#endInTwoParts(bytes);
    let lines = 0;
    let at = bytes.indexOf(LINE_END);
    while (end === undefined && at !== -1) {
      const next = at + LINE_END.length;
      lines++;
      if (bytes[next] === CR && bytes[next + 1] === LF) {
        end = next + LINE_END.length;
      } else if (lines === maxLines) {
        this.#keepTail(bytes.subarray(0, next), undefined);
        return { length: next, lines };
      }
      at = bytes.indexOf(LINE_END, next);
    }
    this.#keepTail(bytes, end);
    return { length: end ?? bytes.length, lines };
  }

  /** @param before the end of the line, as far as it has come in an earlier part */
  #checkProtocol(bytes: Buffer, before: string): void {
    const start = before === '' ? countLineEnds(bytes) : 0;
    const found = bytes.indexOf(LF, start);
    if (found - start > VERSION_LENGTH && isVersion(bytes, found - VERSION_LENGTH)) {
      this.#line = undefined;
      this.isForeign = false;
      return;
    }
    const end = found === -1 ? bytes.length : found;
    const line = before + bytes.toString('latin1', Math.max(start, end - VERSION_LENGTH - 1), end);
    this.#line = found === -1 ? line.slice(-VERSION_LENGTH - 1) : undefined;
    this.isForeign = found !== -1 && !line.trimEnd().slice(-VERSION_LENGTH).startsWith(' HTTP/');
  }

  #endInTwoParts(bytes: Buffer): number | undefined {
    if (this.#tail === '') return undefined;
    const at = (this.#tail + bytes.toString('latin1', 0, TAIL_BYTES)).indexOf(BLANK_LINE);
    return at === -1 ? undefined : at + BLANK_LINE.length - this.#tail.length;
  }

  #keepTail(bytes: Buffer, end: number | undefined): void {
    if (end === undefined) {
      const last = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES));
      this.#tail = (this.#tail + last).slice(-TAIL_BYTES);
    } else this.#tail = '';
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 2)) count++;
  return count;
}

/** Whether the name of HTTP stands where the version of a request line ends right before its CRLF. */
function isVersion(bytes: Buffer, at: number): boolean {
  return (
    bytes[at] === 0x48 &&
    bytes[at + 1] === 0x54 &&
    bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x50 &&
    bytes[at + 4] === 0x2f
  );
}

/** How many bytes of line ends stand first. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  while (isLineEnd(bytes[count])) count++;
  return count;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
