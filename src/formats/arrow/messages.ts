import { Message, MetadataVersion } from 'apache-arrow';
import { tableError } from '../table/table-request.js';
import { checkMetadata, MetadataError } from './metadata-check.js';

/** A message of a stream: its metadata, checked, and its body. */
export interface StreamMessage {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Where its metadata start in the stream; its body follows them. */
  readonly at: number;
}

/** A damaged stream. @param where the message, for example `record batch 3` */
export function damaged(where: string, problem: string): Error {
  return tableError(`${where} of the Arrow stream is not valid: ${problem}`);
}

const CONTINUATION = 0xffffffff;
const PREFIX_BYTES = 8;
/** The last of the prefix: how long the metadata are. */
const METADATA_LENGTH_BYTES = 4;
/** Messages and their buffers start at multiples of so many bytes. */
export const ALIGNMENT = 8;

const isAligned = (bytes: number) => bytes % ALIGNMENT === 0;

/** What other formats begin with, and what to send instead. */
const OTHER_FORMATS = [
  [
    'ARROW1',
    'it is an Arrow file, not an Arrow stream: write it with new_stream, not new_file (Feather V2 is a file, too)',
  ],
  ['FEA1', 'it is a Feather file: send an Arrow stream'],
  ['PAR1', 'it is a Parquet file: send an Arrow stream'],
] as const;

/**
 * The messages of an Arrow stream (the format since 0.15), up to its end-of-stream marker.
 * @param body at a multiple of ALIGNMENT in its buffer
 * @throws ApiError invalid_request where it is damaged, truncated, or another format
 */
export function* messagesOf(body: Uint8Array): Generator<StreamMessage> {
  checkFormat(body);
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let at = 0;
  for (let index = 0; ; index++) {
    const where = `message ${index + 1}`;
    if (at + PREFIX_BYTES > body.length) throw truncated(body, at);
    if (view.getUint32(at, true) !== CONTINUATION) throw damaged(where, 'it does not begin with FF FF FF FF');
    const metadataBytes = view.getInt32(at + 4, true);
    at += PREFIX_BYTES;
    if (metadataBytes === 0) break;
    if (metadataBytes < 0 || !isAligned(metadataBytes))
      throw damaged(where, `its metadata claim ${metadataBytes} bytes`);
    if (metadataBytes > body.length - at) throw truncated(body, at);
    const metadata = body.subarray(at, at + metadataBytes);
    const message = decode(metadata, where);
    const start = at;
    at += metadataBytes;
    const { bodyLength } = message;
    if (!(bodyLength >= 0) || !isAligned(bodyLength))
      throw damaged(where, `its body claims ${bodyLength} bytes`);
    if (bodyLength > body.length - at) throw truncated(body, at);
    yield { message, body: body.subarray(at, at + bodyLength), at: start };
    at += bodyLength;
  }
  if (at < body.length)
    throw tableError(`${body.length - at} bytes follow the end of the Arrow stream: send one stream`);
}

function checkFormat(body: Uint8Array): void {
  if (body.length === 0) throw tableError('the body is empty');
  const start = Buffer.from(body.subarray(0, PREFIX_BYTES)).toString('latin1');
  const [, advice] = OTHER_FORMATS.find(([magic]) => start.startsWith(magic)) ?? [];
  if (advice !== undefined) throw tableError(advice);
  if (!start.startsWith('\xff\xff\xff\xff'.slice(0, start.length)))
    throw tableError('it is not an Arrow stream, which begins with FF FF FF FF');
}

function truncated(body: Uint8Array, at: number): Error {
  return tableError(
    `the Arrow stream is truncated: it has ${body.length} bytes, and the message at byte ${at} or the end-of-stream marker is not whole`,
  );
}

/** A message of a stream that was checked, read again. @param at as `messagesOf` gave it */
export function messageAt(stream: Uint8Array, at: number): StreamMessage {
  const metadataBytes = new DataView(stream.buffer, stream.byteOffset).getInt32(
    at - METADATA_LENGTH_BYTES,
    true,
  );
  const message = Message.decode(stream.subarray(at, at + metadataBytes));
  const bodyAt = at + metadataBytes;
  return { message, body: stream.subarray(bodyAt, bodyAt + message.bodyLength), at };
}

function decode(metadata: Uint8Array, where: string): Message {
  try {
    checkMetadata(metadata);
    const message = Message.decode(metadata);
    if (message.version < MetadataVersion.V4)
      throw new MetadataError('it is of a version before 0.8 of Arrow');
    return message;
  } catch (error) {
    throw damaged(where, error instanceof MetadataError ? error.message : 'its metadata are damaged');
  }
}
