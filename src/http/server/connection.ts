import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiError } from '../../formats/errors/api-error.js';
import { endWithError, TOO_LATE } from './malformed-requests.js';
import { BYTES_PER_TURN, isLineEnd, type RequestPacer, turnEnd } from './pacing.js';
import { SocketStream } from './socket-stream.js';

/** After an unread body of up to this size, the connection serves the next request; a larger body ends it. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Bytes that are received and dropped after a response or the end of the connection. */
const MAX_DROPPED_BYTES = 4 * 1024 * 1024;
/** The same for callers with a key: many clients send a whole body, which may be too large, before they read. */
const MAX_DROPPED_BYTES_OF_KEY = 128 * 1024 * 1024;

/**
 * A connection as Node's HTTP server sees it. It passes on what its socket receives, a little at a time.
 *
 * By itself, the server parses everything that a socket receives: tens of kilobytes of pipelined requests are thousands
 * of requests in progress, which is memory and time that a caller without a key could take. A Connection has one
 * request in progress. If another one arrives meanwhile, neither it nor anything after it is answered: the connection
 * ends after the response to the first.
 */
export class Connection extends SocketStream {
  #isPassScheduled = false;
  #droppedBytes = 0;
  /** The response to the last request, of which at least the head has arrived. */
  #response: ServerResponse | undefined;
  /** Bytes of its body that are still to be passed, without pacing; the parser may already have some of them. */
  #bodyBytes = 0;
  /** Whether the first bytes of the next request have been passed. */
  #hasBegunHead = false;
  /** When the last request began to arrive, on the clock of `performance.now()`; infinite if it has no time limit. */
  #arrivalMs = 0;
  /** Whether the connection ends after the last response. */
  #isFinal = false;
  /** The key of the last request, if it had one. The next request is paced as if it had the same. */
  #keyId: string | undefined;
  #rejectedStatus: number | undefined;
  /** Whether the caller of the last request waits for `100 Continue` and has not sent the body. */
  isAwaitingContinue = false;
  /** Whether any request has arrived. */
  hasBegun = false;
  /** Whether the response to the last request has begun, for a caller without a key. */
  isAnsweredWithoutKey = false;

  /** @param pacer shared by all connections */
  constructor(
    socket: Socket,
    private readonly pacer: RequestPacer,
  ) {
    super(socket);
    socket
      .on('data', (bytes) => {
        this.waiting = bytes;
        this.#pass();
        if (this.waiting !== undefined) socket.pause();
      })
      .on('end', () => {
        this.emit('hangup'); // not 'end': Node's server learns of it when the response is sent
        if (this.waiting === undefined) this.#passEnd();
      });
    this.on('resume', () => {
      if (this.waiting !== undefined) this.#passLater();
    });
  }

  /** Whether no request is in progress or waiting. */
  get isIdle(): boolean {
    return !this.#isAnswering && this.waiting === undefined;
  }

  /** Whether a caller without a key has not received the response yet. */
  get isSendingWithoutKey(): boolean {
    return this.isAnsweredWithoutKey && this.#isAnswering;
  }

  /** Whether the last request has arrived completely, its response is sent, and nothing of another has arrived. */
  get isBetweenRequests(): boolean {
    return this.isIdle && !this.#isReceiving && !this.#isEnding;
  }

  /** The status of a rejection that was sent without the `ServerResponse` of the last request, if there was one. */
  get rejectedStatus(): number | undefined {
    return this.writableFinished ? this.#rejectedStatus : undefined;
  }

  /**
   * Called when the head of a request has been parsed.
   * @param isAwaitingContinue whether its caller waits for `100 Continue` before sending the body
   * @returns false if it must not be answered, because the request before it is still unanswered
   */
  begin(response: ServerResponse, isAwaitingContinue: boolean): boolean {
    this.#hasBegunHead = false;
    if (this.#isAnswering || this.#isEnding) {
      this.endAfterResponse();
      return false;
    }
    this.hasBegun = true;
    this.isAnsweredWithoutKey = false;
    this.#droppedBytes = 0;
    this.#response = response;
    // A streamed answer whose caller hangs up has more listeners than the 10 of which Node warns.
    response.setMaxListeners(20).once('close', () => this.#forgetAnswered());
    this.isAwaitingContinue = isAwaitingContinue;
    const { headers } = response.req;
    this.#bodyBytes = Number(headers['content-length'] ?? 0);
    // Node's parser drops what it got together with such a request: it may belong to the next one.
    if (headers.upgrade !== undefined) this.endAfterResponse();
    return true;
  }

  /** Whether the body of the last request is still arriving, and is larger than MAX_UNREAD_BYTES or may be. */
  get hasLargeUnreadBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = this.#response?.req.headers ?? {};
    return this.#isReceivingBody && (coding !== undefined || Number(length ?? 0) > MAX_UNREAD_BYTES);
  }

  /** Sends `100 Continue` to a caller who waits for it, since the body is about to be read. */
  sendContinue(): void {
    if (this.isAwaitingContinue) this.#response?.writeContinue();
    this.isAwaitingContinue = false;
  }

  rememberKey(keyId: string): void {
    this.pacer.note(keyId);
    this.#keyId = keyId;
  }

  /** Calls back when the caller closes its side before the last response is sent; at once if it already has. */
  onHangUp(callback: () => void): void {
    if (this.socket.readableEnded) callback();
    this.once('hangup', callback);
    this.#response?.once('close', () => this.off('hangup', callback));
  }

  /** Exempts the arriving body from the time limit: its reader decides what is too slow. */
  exemptFromTimeout(): void {
    this.#arrivalMs = Number.POSITIVE_INFINITY;
  }

  /** Rejects the request that is still arriving if it began before a time. */
  rejectLate(beforeMs: number): void {
    if (this.#isReceiving && this.#arrivalMs < beforeMs) this.reject(TOO_LATE);
  }

  /**
   * Rejects what is arriving, and ends the connection. No error is sent if the response to it has begun or the request
   * before it is not answered yet: the caller would read the error as the rest of that response.
   */
  reject(error: ApiError): void {
    if (this.#isEnding) return;
    const response = this.#isReceivingBody ? this.#response : undefined;
    const isLast = response === undefined ? this.#isAnswering : response.headersSent;
    if (isLast) this.endAfterResponse();
    else {
      this.#rejectedStatus = error.status;
      endWithError(error, this, response?.req.headers['x-request-id'], response?.getHeaders());
    }
  }

  /** Ends the connection after the response to the last request, and parses no further one. */
  endAfterResponse(): void {
    if (this.#isFinal) return;
    this.#isFinal = true;
    const response = this.#response;
    if (response === undefined || response.closed) {
      this.end();
      return;
    }
    if (!response.headersSent) response.setHeader('connection', 'close');
    response.once('close', () => this.end());
  }

  /** Whether the last request is not answered, or its response not sent. */
  get #isAnswering(): boolean {
    return this.#response?.closed === false;
  }

  get #isReceivingBody(): boolean {
    return this.#response?.req.complete === false;
  }

  get #isReceiving(): boolean {
    return this.#hasBegunHead || this.#isReceivingBody;
  }

  /** Whether no further request is answered. */
  get #isEnding(): boolean {
    return this.#isFinal || this.writableEnded || this.destroyed;
  }

  /**
   * Forgets the last request once it has arrived completely and its response is sent. Kept until the next one, it would
   * survive collections of the young generation, and a flood of rejected requests would fill the old generation.
   */
  #forgetAnswered(): void {
    if (this.#isAnswering || this.#isReceivingBody) return;
    this.#response = undefined;
  }

  /** Passes on the rest of a body, or a few of the waiting bytes in this turn and the others in later turns. */
  #pass(): void {
    for (let isFirst = true; this.waiting !== undefined; isFirst = false) {
      const bytes = this.waiting;
      if (this.writableEnded) {
        this.waiting = undefined;
        if (this.#isTooMuchDropped(bytes.length)) this.socket.pause(); // the rest is unread until the linger ends
        return;
      }
      if (this.#isFinal && !this.#isReceivingBody) return; // stays unread until the last response is sent
      if (this.isPaused()) return;
      const bodyBytes = this.#isReceivingBody ? this.#bodyBytes : 0;
      if (!isFirst && bodyBytes === 0) {
        this.#passLater();
        return;
      }
      if (!this.#mayPass(bytes)) return;
      const length = bodyBytes > 0 ? Math.max(bodyBytes, BYTES_PER_TURN) : turnEnd(bytes);
      // Once the response is sent, Node's server drops the rest of the body.
      if (
        this.#isReceivingBody &&
        !this.#isAnswering &&
        this.#isTooMuchDropped(Math.min(length, bytes.length))
      ) {
        this.endAfterResponse();
        return;
      }
      this.#bodyBytes = Math.max(0, bodyBytes - bytes.length);
      this.waiting = bytes.length > length ? bytes.subarray(length) : undefined;
      this.push(this.waiting === undefined ? bytes : bytes.subarray(0, length));
      this.#forgetAnswered();
    }
  }

  #isTooMuchDropped(bytes: number): boolean {
    this.#droppedBytes += bytes;
    return this.#droppedBytes > (this.#keyId === undefined ? MAX_DROPPED_BYTES : MAX_DROPPED_BYTES_OF_KEY);
  }

  /** Whether bytes may be passed in this turn: they belong to a request that has begun or may begin now. */
  #mayPass(bytes: Buffer): boolean {
    if (this.#isReceiving || isLineEnd(bytes)) return true;
    // Only its head tells whose the first request is.
    if (this.hasBegun && !this.pacer.mayBegin(this.#keyId, bytes.length)) {
      this.#passLater((pass) => this.pacer.wait(this.#keyId, pass));
      return false;
    }
    this.#hasBegunHead = true;
    this.#arrivalMs = performance.now();
    return true;
  }

  #passLater(schedule: (pass: () => void) => void = setImmediate): void {
    if (this.#isPassScheduled) return;
    this.#isPassScheduled = true;
    schedule(() => {
      this.#isPassScheduled = false;
      this.#pass();
      if (this.waiting !== undefined || this.destroyed) return;
      if (this.socket.readableEnded) this.#passEnd();
      else this.socket.resume();
    });
  }

  /** Passes on that the caller has closed its side, after the response: Node's server would not send it otherwise. */
  #passEnd(): void {
    if (this.#isAnswering && !this.#isReceiving) this.#response?.once('close', () => this.push(null));
    else this.push(null);
  }
}

export function connectionOf({ socket }: IncomingMessage): Connection {
  return socket as unknown as Connection;
}
