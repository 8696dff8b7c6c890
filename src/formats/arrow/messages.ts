import { Message, MessageHeader, MetadataVersion } from 'apache-arrow';
import { MAX_COLUMNS } from '../table/input-columns.js';
import { tableError } from '../table/table-request.js';

/** A damaged stream. @param where the message, for example `record batch 3` */
export function damaged(where: string, problem: string): Error {
  return tableError(`${where} of the Arrow stream is not valid: ${problem}`);
}

const CONTINUATION = 0xffffffff;
const PREFIX_BYTES = 8;
/** Messages and their buffers start at multiples of this many bytes. */
export const ALIGNMENT = 8;

const isAligned = (bytes: number) => bytes % ALIGNMENT === 0;

/**
 * The checked messages of an Arrow stream (the format since 0.15), each with its body and where it starts in the stream.
 * @param body at a multiple of ALIGNMENT in its buffer
 * @throws ApiError invalid_request where it is damaged, truncated, or another format
 */
export function* messagesOf(body: Uint8Array) {
  checkFormat(body);
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let at = 0;
  for (let index = 0; ; index++) {
    const where = `message ${index + 1}`;
    const start = at;
    if (at + PREFIX_BYTES > body.length) throw truncated(body, at);
    if (view.getUint32(at, true) !== CONTINUATION) throw damaged(where, 'it does not begin with FF FF FF FF');
    const metadataBytes = view.getInt32(at + 4, true);
    at += PREFIX_BYTES;
    if (metadataBytes === 0) break;
    if (metadataBytes < 0 || !isAligned(metadataBytes))
      throw damaged(where, `its metadata claims ${metadataBytes} bytes`);
    if (metadataBytes > body.length - at) throw truncated(body, at);
    const metadata = body.subarray(at, at + metadataBytes);
    const message = decode(metadata, where);
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
  if (!start.startsWith('\xff\xff\xff\xff'.slice(0, start.length)))
    throw tableError(
      'it is not an Arrow stream, which begins with FF FF FF FF: write a stream, not an Arrow file, Feather or Parquet',
    );
}

function truncated(body: Uint8Array, at: number): Error {
  return tableError(
    `the Arrow stream is truncated: it has ${body.length} bytes, and the message at byte ${at} or the end-of-stream marker is incomplete`,
  );
}

function decode(metadata: Uint8Array, where: string): Message {
  try {
    checkMetadata(metadata);
    const message = Message.decode(metadata);
    if (message.version < MetadataVersion.V4)
      throw new MetadataError('it was written by an Arrow version before 0.8');
    return message;
  } catch (error) {
    throw damaged(where, error instanceof MetadataError ? error.message : DAMAGED);
  }
}

/*
 * Bounds what the metadata of a message can make the library do. They are flatbuffers, and the library follows every offset
 * and counts to every count in them: a vector may claim 4 billion elements, and tables and texts that are referred to many
 * times are decoded as often. Scalars beyond the end are read as 0 and need no check.
 * See https://flatbuffers.dev/internals, and Schema.fbs and Message.fbs of Arrow for the positions of fields.
 */

const MESSAGE = { headerType: 1, header: 2, customMetadata: 4 } as const;
const SCHEMA = { endianness: 0, fields: 1, customMetadata: 2 } as const;
const FIELD = { name: 0, typeNumber: 2, type: 3, children: 5, customMetadata: 6 } as const;
const TIMESTAMP = { typeNumber: 10, timezone: 1 } as const;
const KEY_VALUE = { key: 0, value: 1 } as const;
const RECORD_BATCH = { nodes: 1, buffers: 2, variadicBufferCounts: 4 } as const;
const DICTIONARY_BATCH = { data: 1 } as const;

const OFFSET_BYTES = 4;
const NODE_BYTES = 16;
const BUFFER_BYTES = 16;
const COUNT_BYTES = 8;

/** Most bytes of the metadata of a message: decoded they take up to 20 times as much, and those of a schema are kept. */
const MAX_BYTES = 2 ** 20;
/** Most fields, nested ones included, and key-value pairs. */
const MAX_TABLES = 20_000;
/** Most buffers of a record batch: a column of views may have any number of them. */
const MAX_BUFFERS = 10_000;
const MAX_DEPTH = 16;
/** Strings may be referenced twice, as field names of a map are. */
const MAX_TEXT_SHARE = 2;

const DAMAGED = 'its metadata is damaged';

/** Metadata that is damaged, or more than a table needs. */
class MetadataError extends Error {}

/** @param count of columns, nested ones included */
function checkColumns(count: number): void {
  if (count > MAX_COLUMNS)
    throw new MetadataError(
      `it has ${count} columns, nested ones included, and may have at most ${MAX_COLUMNS}: ` +
        'leave columns out, or send nested values as texts of JSON',
    );
}

/** Checks the metadata of a message before it is decoded. Where an offset is beyond the end, it throws a RangeError. */
function checkMetadata(metadata: Uint8Array): void {
  if (metadata.length > MAX_BYTES)
    throw new MetadataError(`its metadata has ${metadata.length} bytes, and may have at most ${MAX_BYTES}`);
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  let [tables, columns, textBytes] = [0, 0, 0];
  const message = tableAt(0);
  checkKeyValues(message, MESSAGE.customMetadata);
  const headerType = view.getUint8(required(message, MESSAGE.headerType));
  const header = tableAt(required(message, MESSAGE.header));
  if (headerType === MessageHeader.Schema) {
    const endianness = fieldAt(header, SCHEMA.endianness);
    if (endianness !== 0 && view.getInt16(endianness, true) !== 0)
      throw new MetadataError('its numbers are big-endian: send little-endian ones');
    checkFields(header, SCHEMA.fields, 0);
    checkColumns(columns);
    checkKeyValues(header, SCHEMA.customMetadata);
  } else if (headerType === MessageHeader.RecordBatch) checkRecordBatch(header);
  else if (headerType === MessageHeader.DictionaryBatch)
    checkRecordBatch(tableAt(required(header, DICTIONARY_BATCH.data)));
  else throw new MetadataError('it is neither a schema nor rows nor a dictionary');

  function checkRecordBatch(batch: number): void {
    checkColumns(vectorAt(batch, RECORD_BATCH.nodes, NODE_BYTES).count);
    checkColumns(vectorAt(batch, RECORD_BATCH.variadicBufferCounts, COUNT_BYTES).count);
    const { count } = vectorAt(batch, RECORD_BATCH.buffers, BUFFER_BYTES);
    if (count > MAX_BUFFERS)
      throw new MetadataError(
        `it has ${count} buffers, and may have at most ${MAX_BUFFERS}: write larger buffers, or texts as utf8`,
      );
  }

  function checkFields(parent: number, position: number, depth: number): void {
    for (const field of tablesOf(parent, position)) {
      columns++;
      if (depth === MAX_DEPTH)
        throw new MetadataError(`its columns are nested more than ${MAX_DEPTH} levels deep`);
      checkText(field, FIELD.name);
      const type = fieldAt(field, FIELD.type);
      const typeNumber = fieldAt(field, FIELD.typeNumber);
      const isTimestamp = typeNumber !== 0 && view.getUint8(typeNumber) === TIMESTAMP.typeNumber;
      if (isTimestamp && type !== 0) checkText(tableAt(type), TIMESTAMP.timezone);
      checkKeyValues(field, FIELD.customMetadata);
      checkFields(field, FIELD.children, depth + 1);
    }
  }

  function checkKeyValues(parent: number, position: number): void {
    for (const pair of tablesOf(parent, position)) {
      checkText(pair, KEY_VALUE.key);
      checkText(pair, KEY_VALUE.value);
    }
  }

  function* tablesOf(parent: number, position: number): Generator<number> {
    const { start, count } = vectorAt(parent, position, OFFSET_BYTES);
    tables += count;
    if (tables > MAX_TABLES) throw new MetadataError(`it has more than ${MAX_TABLES} columns and metadata`);
    for (let i = 0; i < count; i++) yield tableAt(start + OFFSET_BYTES * i);
  }

  function checkText(table: number, position: number): void {
    textBytes += vectorAt(table, position, 1).count;
    if (textBytes > MAX_TEXT_SHARE * view.byteLength) throw new MetadataError(DAMAGED);
  }

  /** The elements of a vector; none where the field is absent. */
  function vectorAt(table: number, position: number, elementBytes: number): { start: number; count: number } {
    const at = fieldAt(table, position);
    if (at === 0) return { start: 0, count: 0 };
    const countAt = tableAt(at);
    const start = countAt + OFFSET_BYTES;
    const count = view.getUint32(countAt, true);
    if (count * elementBytes > view.byteLength - start) throw new MetadataError(DAMAGED);
    return { start, count };
  }

  function required(table: number, position: number): number {
    const at = fieldAt(table, position);
    if (at === 0) throw new MetadataError(DAMAGED);
    return at;
  }

  /** Where the field of a table is; 0 where it is absent. */
  function fieldAt(table: number, position: number): number {
    const fields = table - view.getInt32(table, true);
    const entry = OFFSET_BYTES + 2 * position;
    const offset = entry < view.getUint16(fields, true) ? view.getUint16(fields + entry, true) : 0;
    return offset === 0 ? 0 : table + offset;
  }

  /** Where the table or vector is that an offset refers to. */
  function tableAt(at: number): number {
    return at + view.getUint32(at, true);
  }
}
