import { MessageHeader } from 'apache-arrow';
import { MAX_COLUMNS } from '../table/input-columns.js';

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
/** Most levels of nested fields. */
const MAX_DEPTH = 16;
/** Texts may be referred to twice, as names of fields in a map are. */
const MAX_TEXT_SHARE = 2;

const DAMAGED = 'its metadata are damaged';

/** Metadata that are damaged, or more than a table needs. */
export class MetadataError extends Error {}

/** Checks the metadata of a message before it is decoded. @throws MetadataError */
export function checkMetadata(metadata: Uint8Array): void {
  if (metadata.length > MAX_BYTES)
    throw new MetadataError(`its metadata have ${metadata.length} bytes, and may have at most ${MAX_BYTES}`);
  try {
    new MetadataCheck(metadata).message();
  } catch (error) {
    throw error instanceof RangeError ? new MetadataError(DAMAGED) : error; // an offset beyond the end
  }
}

/** @param count of columns, nested ones included */
function checkColumns(count: number): void {
  if (count > MAX_COLUMNS)
    throw new MetadataError(
      `it has ${count} columns, nested ones included, and may have at most ${MAX_COLUMNS}: ` +
        'leave columns out, or send nested values as texts of JSON',
    );
}

class MetadataCheck {
  readonly #view: DataView;
  #tables = 0;
  #columns = 0;
  #textBytes = 0;

  constructor(metadata: Uint8Array) {
    this.#view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  }

  message(): void {
    const message = this.#tableAt(0);
    this.#keyValues(message, MESSAGE.customMetadata);
    const headerType = this.#view.getUint8(this.#required(message, MESSAGE.headerType));
    const header = this.#tableAt(this.#required(message, MESSAGE.header));
    if (headerType === MessageHeader.Schema) {
      const endianness = this.#fieldAt(header, SCHEMA.endianness);
      if (endianness !== 0 && this.#view.getInt16(endianness, true) !== 0)
        throw new MetadataError('its numbers are big-endian: send little-endian ones');
      this.#fields(header, SCHEMA.fields, 0);
      checkColumns(this.#columns);
      this.#keyValues(header, SCHEMA.customMetadata);
    } else if (headerType === MessageHeader.RecordBatch) this.#recordBatch(header);
    else if (headerType === MessageHeader.DictionaryBatch)
      this.#recordBatch(this.#tableAt(this.#required(header, DICTIONARY_BATCH.data)));
    else throw new MetadataError('it is neither a schema nor rows nor a dictionary');
  }

  #recordBatch(batch: number): void {
    checkColumns(this.#vector(batch, RECORD_BATCH.nodes, NODE_BYTES).count);
    checkColumns(this.#vector(batch, RECORD_BATCH.variadicBufferCounts, COUNT_BYTES).count);
    const { count } = this.#vector(batch, RECORD_BATCH.buffers, BUFFER_BYTES);
    if (count > MAX_BUFFERS)
      throw new MetadataError(
        `it has ${count} buffers, and may have at most ${MAX_BUFFERS}: write larger buffers, or texts as utf8`,
      );
  }

  #fields(parent: number, position: number, depth: number): void {
    for (const field of this.#tablesOf(parent, position)) {
      this.#columns++;
      if (depth === MAX_DEPTH)
        throw new MetadataError(`its columns are nested more than ${MAX_DEPTH} levels deep`);
      this.#text(field, FIELD.name);
      const type = this.#fieldAt(field, FIELD.type);
      const typeNumber = this.#fieldAt(field, FIELD.typeNumber);
      const isTimestamp = typeNumber !== 0 && this.#view.getUint8(typeNumber) === TIMESTAMP.typeNumber;
      if (isTimestamp && type !== 0) this.#text(this.#tableAt(type), TIMESTAMP.timezone);
      this.#keyValues(field, FIELD.customMetadata);
      this.#fields(field, FIELD.children, depth + 1);
    }
  }

  #keyValues(parent: number, position: number): void {
    for (const pair of this.#tablesOf(parent, position)) {
      this.#text(pair, KEY_VALUE.key);
      this.#text(pair, KEY_VALUE.value);
    }
  }

  *#tablesOf(parent: number, position: number): Generator<number> {
    const { start, count } = this.#vector(parent, position, OFFSET_BYTES);
    this.#tables += count;
    if (this.#tables > MAX_TABLES)
      throw new MetadataError(`it has more than ${MAX_TABLES} columns and metadata`);
    for (let i = 0; i < count; i++) yield this.#tableAt(start + OFFSET_BYTES * i);
  }

  #text(table: number, position: number): void {
    this.#textBytes += this.#vector(table, position, 1).count;
    if (this.#textBytes > MAX_TEXT_SHARE * this.#view.byteLength) throw new MetadataError(DAMAGED);
  }

  /** The elements of a vector; none where the field is absent. */
  #vector(table: number, position: number, elementBytes: number): { start: number; count: number } {
    const at = this.#fieldAt(table, position);
    if (at === 0) return { start: 0, count: 0 };
    const vector = this.#tableAt(at);
    const start = vector + OFFSET_BYTES;
    const count = this.#view.getUint32(vector, true);
    if (count * elementBytes > this.#view.byteLength - start) throw new MetadataError(DAMAGED);
    return { start, count };
  }

  #required(table: number, position: number): number {
    const at = this.#fieldAt(table, position);
    if (at === 0) throw new MetadataError(DAMAGED);
    return at;
  }

  /** Where the field of a table is; 0 where it is absent. */
  #fieldAt(table: number, position: number): number {
    const view = this.#view;
    const fields = table - view.getInt32(table, true);
    const entry = OFFSET_BYTES + 2 * position;
    const offset = entry < view.getUint16(fields, true) ? view.getUint16(fields + entry, true) : 0;
    return offset === 0 ? 0 : table + offset;
  }

  /** Where the table or vector is that an offset refers to. */
  #tableAt(at: number): number {
    return at + this.#view.getUint32(at, true);
  }
}
