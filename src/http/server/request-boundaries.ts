const CR = 0x0d;
const LF = 0x0a;
const LINE_END = Buffer.from('\r\n');
/** Ends the head of a request and a chunked body. */
const BLANK_LINE = '\r\n\r\n';
const BLANK_LINE_BYTES = Buffer.from(BLANK_LINE);
/** The most bytes of a blank line that can precede the rest of it in an earlier part. */
const TAIL_BYTES = BLANK_LINE.length - 1;

/** Characters at the end of a request line: a space and a version. */
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** A smaller head cannot have too many lines. */
const SMALL_HEAD_BYTES = 2048;

/**
 * Finds where the heads and chunked bodies of requests end in the bytes of a connection, however these are divided into
 * reads. It need not parse them: a blank line ends either, and Node's parser gets the bytes up to it only.
 */
export class RequestBoundaries {
  /** The last bytes of an incomplete head or body: its end may be divided between two parts. */
  #tail = '';
  /** Bytes of the last head so far. */
  headBytes = 0;
  /** Lines of the last head so far; those of a small one are not counted. */
  headLines = 0;
  /** Whether the request line of the last head, if complete, names a protocol other than HTTP. */
  isForeign = false;
  /** The last characters of that line in earlier parts; undefined once it is complete. */
  #line: string | undefined;

  /** Whether the last head or body is complete. */
  get isAtEnd(): boolean {
    return this.#tail === '';
  }

  /** Whether a part of a head or body has come: line ends before a head do not count, because Node's parser skips them. */
  get hasPart(): boolean {
    return this.#tail !== '' && this.#line !== '';
  }

  /** Whether bytes between requests are line ends, of which Node's parser skips any number. */
  startsWithLineEnds(bytes: Buffer): boolean {
    return this.#tail === '' && isLineEnd(bytes[0]) && isLineEnd(bytes.at(TAIL_BYTES));
  }

  /** The length in bytes of the first part that belongs to the head of one request. */
  head(bytes: Buffer): number {
    if (this.#tail === '') {
      this.headBytes = this.headLines = 0;
      this.#line = '';
    }
    if (this.#line !== undefined) this.#checkProtocol(bytes, this.#line);
    const at = bytes.indexOf(BLANK_LINE_BYTES);
    const end = this.#endInTwoParts(bytes) ?? (at === -1 ? undefined : at + BLANK_LINE.length);
    const length = end ?? bytes.length;
    this.headBytes += length;
    if (this.headBytes > SMALL_HEAD_BYTES) this.headLines += countLines(bytes.subarray(0, length));
    this.#keepTail(bytes, end);
    return length;
  }

  /** The length in bytes of the first part, of at most `maxLines`, that belongs to one chunked body, and its lines. */
  chunks(bytes: Buffer, maxLines: number): { length: number; lines: number } {
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

  /** @param before the last characters of the line in earlier parts */
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

/** Whether `HTTP/` is at the place where the version of a request line is that ends with CRLF. */
function isVersion(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === 0x48545450 && bytes[at + 4] === 0x2f;
}

/** Bytes of line ends at the start. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  while (isLineEnd(bytes[count])) count++;
  return count;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
