import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

/** Shared by all connections, because each read is processed before the next. */
const READ_BUFFER = Buffer.alloc(256 * 1024);

const EXPECTS_CONTINUE = 'expect: 100-continue';
const CONTINUE_STATUS = 100;

/**
 * A keep-alive connection that sends prepared requests and reads answers with as little work as can be, so that the
 * load generator is not what is measured.
 */
export class Connection {
  #socket!: Socket;
  /** The bytes read so far of a head, or of the line before a chunk. */
  #line: Buffer = Buffer.alloc(0);
  #state: 'head' | 'body' | 'chunk size' | 'chunk' | 'last chunk' = 'head';
  /** Bytes of the body or the chunk still to come. */
  #left = 0;
  #status = 0;
  /** The body of a request that waits for 100 Continue. */
  #heldBody: Buffer | undefined;
  /** Bytes of all bodies read. */
  bodyBytes = 0;
  /** Bodies that were sent after 100 Continue. */
  continued = 0;
  /** Whether the server ends the connection after its last answer. */
  isLast = false;
  #settle!: { resolve: (status: number) => void; reject: (error: Error) => void };

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    await new Promise<void>((resolve, reject) => {
      const callback = (count: number, bytes: Uint8Array) => {
        connection.#read(Buffer.from(bytes.buffer, bytes.byteOffset, count));
        return true;
      };
      connection.#socket = connect(
        { port, host: '127.0.0.1', noDelay: true, onread: { buffer: READ_BUFFER, callback } },
        resolve,
      );
      connection.#socket.once('error', reject);
    });
    connection.#socket.on('error', (error) => connection.#settle?.reject(error));
    connection.#socket.on('close', () =>
      connection.#settle?.reject(new Error('the server closed the connection')),
    );
    return connection;
  }

  /**
   * Sends one request; if it expects 100 Continue, the body is sent only after that.
   * @returns the status of the answer, once its last byte is read
   */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#socket.destroyed) reject(new Error('the server closed the connection'));
      const headEnd = request.indexOf(HEAD_END) + HEAD_END.length;
      const isHeld = request.subarray(0, headEnd).includes(EXPECTS_CONTINUE);
      this.#heldBody = isHeld ? request.subarray(headEnd) : undefined;
      this.#socket.write(isHeld ? request.subarray(0, headEnd) : request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#state === 'head') rest = this.#readHead(rest);
      else if (this.#state === 'chunk size') rest = this.#readChunkSize(rest);
      else {
        const length = Math.min(this.#left, rest.length);
        this.#left -= length;
        rest = rest.subarray(length);
      }
      if (this.#left > 0) continue;
      if (this.#state === 'chunk') this.#state = 'chunk size';
      else if (this.#state === 'body' || this.#state === 'last chunk') this.#finish();
    }
  }

  #finish(): void {
    this.#state = 'head';
    this.#settle.resolve(this.#status);
  }

  /** Reads until the end of a text. @returns the bytes before and after that, or undefined while it is incomplete */
  #readUntil(end: Buffer, bytes: Buffer): { text: string; rest: Buffer } | undefined {
    const line = this.#line.length === 0 ? bytes : Buffer.concat([this.#line, bytes]);
    const at = line.indexOf(end);
    this.#line = at === -1 ? Buffer.from(line) : Buffer.alloc(0); // the read buffer is used again
    if (at === -1) return undefined;
    return { text: line.toString('latin1', 0, at), rest: line.subarray(at + end.length) };
  }

  #readHead(bytes: Buffer): Buffer {
    const head = this.#readUntil(HEAD_END, bytes);
    if (head === undefined) return NOTHING;
    const { text, rest } = head;
    this.#status = Number(text.slice(9, 12));
    if (this.#status === CONTINUE_STATUS) {
      this.continued++;
      this.#socket.write(this.#heldBody!);
      return rest;
    }
    this.isLast = /connection: close/i.test(text);
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    this.#state = length === undefined ? 'chunk size' : 'body';
    this.#left = Number(length ?? 0);
    this.bodyBytes += this.#left;
    if (length === '0') this.#finish();
    return rest;
  }

  #readChunkSize(bytes: Buffer): Buffer {
    const line = this.#readUntil(LINE_END, bytes);
    if (line === undefined) return NOTHING;
    const size = Number.parseInt(line.text, 16);
    this.bodyBytes += size;
    this.#left = size + LINE_END.length;
    this.#state = size === 0 ? 'last chunk' : 'chunk';
    return line.rest;
  }
}
