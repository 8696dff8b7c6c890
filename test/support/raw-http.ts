import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An answer as it was received. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; of a repeated header, the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Opens a connection to a service. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replaceAll(/[[\]]/g, ''));
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes that need not be HTTP on a connection of their own and reads the one answer until the server ends it. */
export async function sendRaw(url: string, request: string | Uint8Array): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(request);
  return readAnswer(socket);
}

/** What came back on a connection: of all answers, in order. */
export interface RawAnswers {
  readonly statuses: number[];
  /** Their request ids. */
  readonly ids: string[];
  readonly text: string;
}

/** Sends bytes on a connection that the caller would keep, then nothing more, and reads until the server ends it. */
export async function answersOn(url: string, bytes: string): Promise<RawAnswers> {
  const socket = await openSocket(url);
  socket.end(bytes, 'latin1');
  return readAll(socket);
}

/** Reads the answers of a connection until the server ends it. */
export async function readAll(socket: Socket): Promise<RawAnswers> {
  const text = (await buffer(socket)).toString('latin1');
  return {
    statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    ids: [...text.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id]) => id!),
    text,
  };
}

/** A request of these lines, with the blank line after them and a body; it asks the server to close the connection. */
export function rawRequest(requestLine: string, headers: readonly string[], body = ''): string {
  return [requestLine, 'Host: test', 'Connection: close', ...headers, '', body].join('\r\n');
}

/** Reads what a server sends until it ends the connection, as one answer. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  return parseAnswer((await buffer(socket)).toString('utf8'));
}

/** Reads the answers of a connection until the server ends it. @throws if one is shorter than its Content-Length */
export async function readWhole(socket: Socket): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  const { text } = await readAll(socket);
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('\r\n\r\n', at) + 4;
    const end = start + Number(/^content-length: (\d+)\r$/im.exec(text.slice(at, start))?.[1]);
    if (!(end <= text.length)) throw new Error(`${text.length - start} bytes came of ${end - start}`);
    answers.push(parseAnswer(text.slice(at, end)));
    at = end;
  }
  return answers;
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine, ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine ?? '')?.[1];
  if (end === -1 || status === undefined)
    throw new Error(`no HTTP answer: ${JSON.stringify(text.slice(0, 200))}`);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  return {
    status: Number(status),
    headers,
    body: headers.get('transfer-encoding') === 'chunked' ? joinChunks(body) : body,
  };
}

/** The body of a chunked answer in ASCII, where characters are bytes. */
function joinChunks(text: string): string {
  const end = text.indexOf('\r\n');
  const length = Number.parseInt(text.slice(0, end), 16);
  return length === 0 ? '' : text.slice(end + 2, end + 2 + length) + joinChunks(text.slice(end + 4 + length));
}
