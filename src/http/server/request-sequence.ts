import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isAwaitingContinue } from '../request/expect-continue.js';
import { endLingering } from './final-response.js';
import { MAX_HEADERS } from './malformed-requests.js';
import { RequestBoundaries } from './request-boundaries.js';
import type { RequestTurns } from './request-turns.js';

/**
 * Lines of a chunked body that are parsed in one turn of the event loop. Node emits an event per chunk, and a chunk of
 * one byte takes two lines.
 */
const LINES_PER_TURN = 128;

/** The most that Node reads at once: a connection from which this much was received has probably more. */
const FULL_READ_BYTES = 64 * 1024;

/** More than Node's parser accepts. */
const MAX_HEAD_BYTES = 32 * 1024;

/** Bytes read and dropped from a connection that is ending: a caller who still sends would not read the last response. */
const MAX_DROPPED_BYTES = 4 * 1024 * 1024;

/**
 * Passes the requests of a connection to Node's HTTP parser one at a time.
 *
 * By itself the parser takes everything that a connection sends: tens of kilobytes of pipelined requests are thousands of
 * requests in progress, which is memory and time that a caller without a key could take. Here it gets the next request of
 * a connection when the last is answered, and at most one per turn of the event loop.
 */
export class RequestSequence {
  /** Passes bytes to Node's parser. */
  readonly #parse: (bytes: Buffer) => void;
  /** Reports the end of the connection to Node's parser. */
  readonly #parseEnd: () => void;
  readonly #boundaries = new RequestBoundaries();
  /** Received, and not yet parsed. */
  #waiting: Buffer | undefined;
  #incoming: IncomingMessage | undefined;
  /** Bytes of that body still to come; 0 for a chunked one. */
  #bodyBytes = 0;
  /** When the last request began to arrive, on the clock of `performance.now()`; infinite where it may take its time. */
  #arrivalMs = 0;
  /** The response to the last request. */
  #response: ServerResponse | undefined;
  /** The response after which the next request is parsed; set only if one waits, because a listener has a cost. */
  #awaited: ServerResponse | undefined;
  /** Whether it continues in the next turn of the event loop. */
  #isContinueScheduled = false;
  /** Whether the next request waits for its key to begin one in a turn of the event loop, or may begin. */
  #admission: 'none' | 'awaited' | 'given' = 'none';
  #hasEnded = false;
  /** Whether the connection ends with the last response. */
  #endsWithResponse = false;
  #droppedBytes = 0;

  /** The last key that was sent. The next request takes turns as one of the same key, since it is not read yet. */
  keyId: string | undefined;

  /**
   * Replaces Node's HTTP server as the receiver of what a connection sends.
   * @param turns shared by all connections
   * @param reject rejects what was received, as Node's parser does, with one of its error codes
   */
  constructor(
    private readonly socket: Socket,
    private readonly turns: RequestTurns,
    private readonly reject: (code: string) => void,
  ) {
    this.#parse = takeListener(socket, 'data');
    this.#parseEnd = takeListener(socket, 'end');
    socket.on('data', this.#take);
    socket.on('end', this.#takeEnd);
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const isAll = this.#waiting === undefined;
      this.#waiting = undefined;
      // A caller who was not told to send the body may just have begun to.
      const mayBeSending = this.#incoming !== undefined && isAwaitingContinue(this.#incoming);
      if (isAll && !mayBeSending) destroySoon();
      else endLingering(socket); // The caller has sent more than will be answered.
    };
    // Node resumes a connection whenever it wants more of a body.
    socket.on('resume', () => {
      if (this.#isPaused) socket.pause();
    });
  }

  /** The request whose body is arriving. */
  get incoming(): IncomingMessage | undefined {
    return this.#incoming;
  }

  /** Whether any request has come. */
  get hasBegun(): boolean {
    return this.#response !== undefined;
  }

  /** Whether no request is in progress or waiting. */
  get isIdle(): boolean {
    return this.#response?.closed !== false && this.#waiting === undefined;
  }

  /** Whether the last request has arrived as a whole, its response is sent, and no part of another one has come. */
  get isBetweenRequests(): boolean {
    const hasAll = this.#incoming === undefined && !this.#boundaries.hasPart && !this.#isPaused;
    return this.isIdle && hasAll && !this.#isEnding;
  }

  /** Called when a request is parsed up to its body. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#incoming = request;
    this.#bodyBytes = Number(request.headers['content-length'] ?? 0);
    this.#response = response;
  }

  /** Lets the body that is arriving take its time: whoever reads it decides what is too slow. */
  exemptFromTimeout(): void {
    this.#arrivalMs = Number.POSITIVE_INFINITY;
  }

  /** Rejects the request whose body is still arriving if it began before a time. */
  rejectLate(beforeMs: number): void {
    if (this.#incoming !== undefined && this.#arrivalMs < beforeMs && !this.#isEnding)
      this.reject('ERR_HTTP_REQUEST_TIMEOUT');
  }

  /**
   * Ends the connection after the response to the request whose body is arriving, if that has been begun: another one
   * would be read as a part of it, or as the response to the next request.
   * @returns whether it has been begun
   */
  endWithResponse(): boolean {
    const response = this.#response;
    if (this.#incoming === undefined || !response?.headersSent) return false;
    if (this.#endsWithResponse) return true;
    this.#endsWithResponse = true;
    if (response.closed) endLingering(this.socket);
    else response.once('close', () => endLingering(this.socket));
    return true;
  }

  /** Called when the connection is no longer HTTP. */
  end(): void {
    this.#waiting = undefined;
    this.socket.removeListener('data', this.#take);
    this.socket.removeListener('end', this.#takeEnd);
  }

  /** Whether nothing more should be received for now. */
  get #isPaused(): boolean {
    return this.#waiting !== undefined || this.#isContinueScheduled || this.#droppedBytes > MAX_DROPPED_BYTES;
  }

  readonly #take = (bytes: Buffer) => {
    if (this.#waiting === undefined) {
      this.#parseNext(bytes);
      if (bytes.length >= FULL_READ_BYTES) this.#continueNextTurn();
    } else {
      this.#waiting = Buffer.concat([this.#waiting, bytes]);
    }
    if (this.#isPaused) this.socket.pause();
  };

  readonly #takeEnd = () => {
    this.#hasEnded = true;
    if (!this.#isPaused) this.#parseEnd();
  };

  #continueNextTurn(): void {
    if (this.#isContinueScheduled) return;
    this.#isContinueScheduled = true;
    setImmediate(this.#continue);
  }

  readonly #continue = () => {
    this.#isContinueScheduled = false;
    this.#parseNext(this.#waiting);
    if (this.#isPaused) return;
    if (this.#hasEnded) this.#parseEnd();
    else this.#resume();
  };

  readonly #admit = () => {
    this.#admission = 'given';
    if (!this.#isContinueScheduled) this.#continue();
  };

  /** Receives more, unless Node is waiting for the received part of a body to be consumed. */
  #resume(): void {
    const incoming = this.#incoming;
    const isFull = incoming !== undefined && incoming.readableLength >= incoming.readableHighWaterMark;
    if (!isFull) this.socket.resume();
  }

  /** Parses as much as is allowed in this turn; the rest waits for the next turn or the end of the response. */
  #parseNext(received: Buffer | undefined): void {
    let lines = LINES_PER_TURN;
    this.#waiting = received;
    for (let bytes = received; bytes !== undefined; bytes = this.#waiting) {
      if (this.#isEnding) {
        this.#waiting = undefined;
        this.#droppedBytes += bytes.length;
      } else if (this.#incoming === undefined) {
        if (this.#response?.closed === false) {
          if (this.#awaited !== this.#response) {
            this.#awaited = this.#response;
            this.#response.once('close', () => this.#continueNextTurn());
            this.#waiting = compact(bytes);
          }
          return;
        }
        if (!this.#mayParseHead()) {
          this.#waiting = compact(bytes);
          return;
        }
        this.#parseHead(bytes);
      } else if (this.#bodyBytes > 0) {
        const length = Math.min(this.#bodyBytes, bytes.length);
        this.#bodyBytes -= length;
        this.#parseFirst(bytes, length);
      } else if (lines > 0) {
        const part = this.#boundaries.chunks(bytes, lines);
        lines -= part.lines;
        this.#parseFirst(bytes, part.length);
      } else {
        this.#continueNextTurn();
        this.#waiting = compact(bytes);
        return;
      }
      if (this.#incoming?.complete) this.#incoming = undefined;
    }
  }

  /** Whether the next head may be parsed: one of which a part was parsed, or that of a request that may begin now. */
  #mayParseHead(): boolean {
    if (!this.#boundaries.isAtEnd) return true;
    if (this.#admission === 'awaited') return false;
    const mayBegin = this.#admission === 'given' || this.turns.begin(this.keyId, this.#admit);
    this.#admission = mayBegin ? 'none' : 'awaited';
    return mayBegin;
  }

  /** Parses the received part of a head, unless it would take as long as many requests. */
  #parseHead(bytes: Buffer): void {
    if (this.#boundaries.startsWithLineEnds(bytes)) {
      this.reject('HPE_INVALID_METHOD');
      return;
    }
    if (this.#boundaries.isAtEnd) this.#arrivalMs = performance.now();
    const length = this.#boundaries.head(bytes);
    const { headLines, headBytes, isForeign, isAtEnd } = this.#boundaries;
    // The first and the last line are not headers.
    if (headLines > MAX_HEADERS + 2) this.reject('HPE_HEADER_OVERFLOW');
    else if (isForeign) this.reject('HPE_INVALID_VERSION');
    else {
      const before = this.#response;
      this.#parseFirst(bytes, length);
      // After a request for another protocol Node's parser ignores errors until the next request.
      const isIgnored = this.#response === before && !this.#isEnding;
      if (isIgnored && isAtEnd) this.reject('HPE_INVALID_CONSTANT');
      else if (isIgnored && headBytes > MAX_HEAD_BYTES) this.reject('HPE_HEADER_OVERFLOW');
    }
  }

  /** Whether nothing that is received will be answered. */
  get #isEnding(): boolean {
    return this.socket.destroyed || this.socket.writableEnded || this.#endsWithResponse;
  }

  #parseFirst(bytes: Buffer, length: number): void {
    const isAll = length === bytes.length;
    this.#waiting = isAll ? undefined : bytes.subarray(length);
    this.#parse(isAll ? bytes : bytes.subarray(0, length));
  }
}

/** Copies bytes that use less than half of their memory, so that what waits does not hold the rest. */
function compact(bytes: Buffer): Buffer {
  return 2 * bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
}

/** Removes and returns the listener that was added last, which is that of Node's HTTP server. */
function takeListener<Arguments extends unknown[]>(
  socket: Socket,
  event: string,
): (...of: Arguments) => void {
  const listener = socket.listeners(event).at(-1) as (...of: Arguments) => void;
  socket.removeListener(event, listener);
  return listener;
}
