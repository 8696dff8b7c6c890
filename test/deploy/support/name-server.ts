import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const HEADER_BYTES = 12;
/** An answer, without error. https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1 */
const ANSWER_FLAGS = 0x8180;
/** Where the name of every record stands: right after the header. */
const POINTER_TO_QUESTION = 0xc000 | HEADER_BYTES;
const TYPE_A = 1;
const CLASS_INTERNET = 1;
const TTL_S = 1;

/** A DNS server that knows the same IPv4 addresses for every name: what Docker's is for a service's replicas. */
export class NameServer {
  readonly #socket: Socket = createSocket('udp4');
  /** May be changed at any time. */
  readonly addresses = new Set<string>();

  /** Starts one that lasts as long as the running test. */
  static async start(host: string, port: number): Promise<NameServer> {
    const server = new NameServer();
    server.#socket.on('message', (query, { port: toPort, address }) => {
      server.#socket.send(server.#answer(query), toPort, address);
    });
    server.#socket.bind(port, host);
    await once(server.#socket, 'listening');
    onTestFinished(() => void server.#socket.close());
    return server;
  }

  #answer(query: Buffer): Buffer {
    // The question is a name that ends with a zero byte, a type and a class.
    const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(ANSWER_FLAGS, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(this.addresses.size, 6);
    return Buffer.concat([header, question, ...[...this.addresses].map(addressRecord)]);
  }
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(POINTER_TO_QUESTION, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_INTERNET, 4);
  record.writeUInt32BE(TTL_S, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return record;
}
