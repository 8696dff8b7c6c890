import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/** One for all: what is read is looked at before anything else is read. */
const READ_BUFFER = Buffer.alloc(256 * 1024);

/**
 * A keep-alive connection that sends prepared requests and reads answers with as little work as can be, so that the
 * load generator is not what is measured.
 */
export class Connection {
  #socket!: Socket;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the body still to come; -1 while the head is read. */
  #left = -1;
  #status = 0;
  /** Bytes of all bodies read. */
  bodyBytes = 0;
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

  /** Sends one request. @returns the status of its answer when the last byte is read */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#socket.destroyed) reject(new Error('the server closed the connection'));
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#left >= 0) {
      this.#left -= bytes.length;
    } else {
      this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) {
        this.#head = Buffer.from(this.#head); // the read buffer is used again
        return;
      }
      const head = this.#head.toString('latin1', 0, end);
      this.#status = Number(head.slice(9, 12));
      const length = Number(/content-length: (\d+)/i.exec(head)![1]);
      this.bodyBytes += length;
      this.#left = length - (this.#head.length - end - HEAD_END.length);
      this.#head = Buffer.alloc(0);
    }
    if (this.#left > 0) return;
    this.#left = -1;
    this.#settle.resolve(this.#status);
  }
}
