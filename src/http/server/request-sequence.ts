import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_HEADERS } from './framing.js';
import { endLingering } from './linger.js';
import { RequestBoundaries } from './request-boundaries.js';
import type { Turns } from './turns.js';

/**
 * Lines of a chunked body that are parsed in one turn of the event loop. Node makes an event of every chunk, and a chunk
 * of one byte takes two lines.
 */
const LINES_PER_TURN = 128;

/** A connection has more to say where so much was received at once, which is the most that Node reads. */
const FULL_READ_BYTES = 64 * 1024;

/** More than Node's parser lets pass. */
const MAX_HEAD_BYTES = 32 * 1024;

/** What is read of a connection that is about to end: a caller who still sends would not get to read its last answer. */
const MAX_DROPPED_BYTES = 4 * 1024 * 1024;

/**
 * Has the requests of a connection answered one after the other, and the connections take turns.
 *
 * Node's parser takes all that a connection sends at once: tens of kilobytes of pipelined requests are thousands of
 * requests at work, which is memory and time that a caller without a key could take. Here the parser gets no further
 * request of a connection before the last is answered, and never more than one in a turn of the event loop.
 */
export class RequestSequence {
  readonly #socket: Socket;
  readonly #turns: Turns;
  /** Refuses what is received, as Node's parser does, by one of its error codes. */
  readonly #refuse: (code: string) => void;
  /** Gives bytes to Node's parser. */
  readonly #parse: (bytes: Buffer) => void;
  /** Tells Node's parser that no more will come. */
  readonly #parseEnd: () => void;
  readonly #receive = (bytes: Buffer) => this.#take(bytes);
  readonly #receiveEnd = () => this.#takeEnd();
  readonly #boundaries = new RequestBoundaries();
  /** Received, and not yet parsed. */
  #waiting: Buffer | undefined;
  /** The request whose body is arriving. */
  #incoming: IncomingMessage | undefined;
  /** Bytes of that body still to come; 0 for a chunked one. */
  #bodyBytes = 0;
  /** The answer to the last request. */
  #response: ServerResponse | undefined;
  /** The answer after which the next request is parsed; only where one waits, since a listener has its price. */
  #awaited: ServerResponse | undefined;
  /** Whether it goes on in the next turn of the event loop. */
  #hasTurn = false;
  #hasEnded = false;
  #droppedBytes = 0;

  /** Takes the place of Node's HTTP server as the receiver of what a connection sends. */
  constructor(socket: Socket, turns: Turns, refuse: (code: string) => void) {
    this.#socket = socket;
    this.#turns = turns;
    this.#refuse = refuse;
    this.#parse = takeListener(socket, 'data');
    this.#parseEnd = takeListener(socket, 'end');
    socket.on('data', this.#receive);
    socket.on('end', this.#receiveEnd);
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      if (this.#waiting === undefined) destroySoon();
      else this.#endLingering();
    };
    // Node resumes a connection whenever it wants more of a body.
    socket.on('resume', () => {
      if (this.#isHeld) socket.pause();
    });
  }

  /** Whether any request has come. */
  get hasBegun(): boolean {
    return this.#response !== undefined;
  }

  /** Whether no request is being answered, and none waits. */
  get isIdle(): boolean {
    return this.#response?.closed !== false && this.#waiting === undefined;
  }

  /** A request was parsed up to its body. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#incoming = request;
    this.#bodyBytes = Number(request.headers['content-length'] ?? 0);
    this.#response = response;
  }

  /** The connection is no longer HTTP. */
  end(): void {
    this.#waiting = undefined;
    this.#socket.removeListener('data', this.#receive);
    this.#socket.removeListener('end', this.#receiveEnd);
  }

  /** Whether nothing more is to be received for now. */
  get #isHeld(): boolean {
    return this.#waiting !== undefined || this.#hasTurn || this.#droppedBytes > MAX_DROPPED_BYTES;
  }

  #take(bytes: Buffer): void {
    if (this.#waiting === undefined) {
      this.#waiting = bytes;
      this.#proceed();
      if (bytes.length >= FULL_READ_BYTES) this.#continueInTurn();
    } else {
      this.#waiting = Buffer.concat([this.#waiting, bytes]);
    }
    if (this.#isHeld) this.#socket.pause();
  }

  #takeEnd(): void {
    this.#hasEnded = true;
    if (!this.#isHeld) this.#parseEnd();
  }

  #continueInTurn(): void {
    if (this.#hasTurn) return;
    this.#hasTurn = true;
    this.#turns.add(() => {
      this.#hasTurn = false;
      this.#proceed();
      if (this.#isHeld) return;
      if (this.#hasEnded) this.#parseEnd();
      else this.#resume();
    });
  }

  #continueAfter(response: ServerResponse): void {
    if (this.#awaited === response) return;
    this.#awaited = response;
    response.once('close', () => this.#continueInTurn());
    this.#release();
  }

  /** Ends a connection whose caller has sent more than will be answered. */
  #endLingering(): void {
    this.#waiting = undefined;
    endLingering(this.#socket);
  }

  /** Receives more, unless Node waits for what has arrived of a body to be taken. */
  #resume(): void {
    const incoming = this.#incoming;
    const isFull = incoming !== undefined && incoming.readableLength >= incoming.readableHighWaterMark;
    if (!isFull) this.#socket.resume();
  }

  /** Lets go of memory of which more than half was parsed: what waits for a while is collected late. */
  #release(): void {
    const bytes = this.#waiting!;
    if (2 * bytes.length < bytes.buffer.byteLength) this.#waiting = Buffer.from(bytes);
  }

  /** Gives the parser as much as it may have in this turn. */
  #proceed(): void {
    let lines = LINES_PER_TURN;
    while (this.#waiting !== undefined) {
      if (this.#isEnding) {
        this.#drop(this.#waiting);
      } else if (this.#incoming === undefined) {
        if (this.#response?.closed === false) {
          this.#continueAfter(this.#response);
          return;
        }
        this.#parseHead(this.#waiting);
      } else if (this.#bodyBytes > 0) {
        const length = Math.min(this.#bodyBytes, this.#waiting.length);
        this.#bodyBytes -= length;
        this.#parseFirst(length);
      } else if (lines > 0) {
        const part = this.#boundaries.chunks(this.#waiting, lines);
        lines -= part.lines;
        this.#parseFirst(part.length);
      } else {
        this.#continueInTurn();
        this.#release();
        return;
      }
      if (this.#incoming?.complete) this.#incoming = undefined;
    }
  }

  /** Gives the parser a head, or what has come of it, unless it would take as long as many requests. */
  #parseHead(bytes: Buffer): void {
    if (this.#boundaries.startsWithLineEnds(bytes)) {
      this.#refuse('HPE_INVALID_METHOD');
      return;
    }
    const length = this.#boundaries.head(bytes);
    // The first and the last line are no headers.
    if (this.#boundaries.headLines > MAX_HEADERS + 2) {
      this.#refuse('HPE_HEADER_OVERFLOW');
      return;
    }
    if (this.#boundaries.isForeign) {
      this.#refuse('HPE_INVALID_VERSION');
      return;
    }
    const before = this.#response;
    this.#parseFirst(length);
    // After a request for another protocol Node's parser passes over errors up to the next request.
    const isPassedOver = this.#response === before && !this.#isEnding;
    if (isPassedOver && this.#boundaries.isAtEnd) this.#refuse('HPE_INVALID_CONSTANT');
    else if (isPassedOver && this.#boundaries.headBytes > MAX_HEAD_BYTES) this.#refuse('HPE_HEADER_OVERFLOW');
  }

  /** Whether nothing that is received will be answered. */
  get #isEnding(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded;
  }

  #drop({ length }: Buffer): void {
    this.#waiting = undefined;
    this.#droppedBytes += length;
  }

  #parseFirst(length: number): void {
    const bytes = this.#waiting!;
    this.#waiting = length === bytes.length ? undefined : bytes.subarray(length);
    this.#parse(this.#waiting === undefined ? bytes : bytes.subarray(0, length));
  }
}

/** Takes away the listener that was added last, which is that of Node's HTTP server. */
function takeListener<Arguments extends unknown[]>(
  socket: Socket,
  event: string,
): (...of: Arguments) => void {
  const listener = socket.listeners(event).at(-1) as (...of: Arguments) => void;
  socket.removeListener(event, listener);
  return listener;
}
