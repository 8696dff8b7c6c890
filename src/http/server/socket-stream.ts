import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** How long a connection that the service has ended waits for a caller who is still sending. */
const LINGER_MS = 1000;

/** A socket as a stream that decides when to pass on what was received, and that lingers when it has ended. */
export class SocketStream extends Duplex {
  /** Received, and not yet passed on. */
  protected waiting: Buffer | undefined;

  constructor(protected readonly socket: Socket) {
    // The socket buffers. Here, a single unread byte holds back the rest of what was received.
    super({ decodeStrings: false, readableHighWaterMark: 1 });
    socket
      .on('timeout', () => this.emit('timeout'))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  /** Node's server calls this as it calls the method of a socket. */
  setTimeout(ms: number): this {
    this.socket.setTimeout(ms);
    return this;
  }

  /** What is received is passed on unasked, unless the parser has paused: see the event `resume`. */
  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, callback: () => void): void {
    this.socket.write(chunk, encoding, callback);
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    callback: () => void,
  ): void {
    // With the empty chunk that Node ends a response with, libuv reports the write only after it has read again.
    const full = chunks.filter(({ chunk }) => chunk.length > 0);
    if (full.length === 0) full.push(chunks[0]);
    this.socket.cork();
    for (const [index, { chunk, encoding }] of full.entries())
      this.socket.write(chunk, encoding, index === full.length - 1 ? callback : undefined);
    this.socket.uncork();
  }

  /**
   * Ends the connection, but keeps reading until the caller closes its side or LINGER_MS pass: closed at once it would be
   * reset under a caller who is still sending, who would lose the response.
   */
  override _final(callback: () => void): void {
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(timer)).end(callback);
    this.waiting = undefined;
    this.socket.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.waiting = undefined;
    this.socket.destroy();
    callback(error);
  }
}
