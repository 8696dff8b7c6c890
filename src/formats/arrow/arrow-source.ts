import type { Data, Field, Schema } from 'apache-arrow';
import type { ReadPositions } from '../table/input-columns.js';
import type { TableChunk } from '../table/table-request.js';
import {
  type ArrowBatch,
  type ChunkRows,
  ENCODED_CHUNK_BYTES,
  type TableSource,
} from '../table/table-source.js';
import { restOf } from '../text/lines.js';
import { fromLatin1 } from '../text/text-formats.js';
import { type Cells, cellsOf, isValid, numbersOf } from './cells.js';
import { batchHeader, ColumnLoader, type Dictionaries } from './load-columns.js';
import { messagesOf } from './messages.js';
import { readSchema, sliceColumn } from './text-views.js';

/** A record batch of a stream that was checked. A table may have thousands: what was decoded of it is not kept. */
export interface StreamBatch {
  /** Where its message is in the stream. */
  readonly at: number;
  readonly dictionaries: Dictionaries;
  /** Its first row among those of the table. */
  readonly firstRow: number;
  readonly rowCount: number;
  /** Its columns and their buffers: what is decoded grows with them. */
  readonly bufferCount: number;
  readonly bytes: number;
}

interface LoadedBatch {
  readonly batch: StreamBatch;
  readonly columns: readonly Data[];
}

/** Consecutive rows of a batch, whose columns are slices; dictionaries are whole. */
interface Slice extends ArrowBatch {
  /** The first of them in the chunk. */
  readonly from: number;
}

/** Most batches of a chunk: each is decoded for it. */
const CHUNK_BATCHES = 32;

/** Most columns and buffers of the batches of a chunk, if it has more than one. */
const MAX_CHUNK_BUFFERS = 2 ** 12;

/** JSON has no such numbers. */
const NOT_FINITE: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/** A table from a checked Arrow stream. Batches are loaded when they are needed: their columns are views of the body. */
export class ArrowSource implements TableSource {
  readonly names: readonly string[];
  readonly lineEnd = '\n';
  /** The batch that was used last. */
  #loaded: LoadedBatch | undefined;
  readonly #schema: Schema;

  /**
   * @param stream aligned
   * @param sent the schema of the stream
   * @param batches in their order
   */
  constructor(
    private readonly stream: Uint8Array,
    private readonly sent: Schema,
    readonly batches: readonly StreamBatch[],
    readonly positions: ReadPositions,
    readonly rowCount: number,
  ) {
    this.#schema = readSchema(sent);
    this.names = sent.fields.map(({ name }) => name);
  }

  *chunks(maxRows: number): Generator<TableChunk> {
    for (let from = 0; from < this.rowCount; ) {
      const following = this.batches[this.#chunkEnd(this.#batchOf(from))];
      const end = Math.min(from + maxRows, following?.firstRow ?? this.rowCount);
      yield { from, count: end - from, start: 0, end: 0 };
      from = end;
    }
  }

  arrowFields(): readonly Field[] {
    return this.#schema.fields;
  }

  get arrowMetadata(): ReadonlyMap<string, string> {
    return this.#schema.metadata;
  }

  columnsBefore({ from }: TableChunk): Data[] {
    const { columns } = this.#loadKept(this.#batchOf(from - 1));
    return columns.map((column) => sliceColumn(column, 0, 0));
  }

  rows(chunk: TableChunk): ChunkRows {
    return new ArrowRows(this, chunk);
  }

  /** The rows of a chunk from one of them on, in slices of at most ENCODED_CHUNK_BYTES, if these have more than one row. */
  *slices(chunk: TableChunk, first: number): Generator<Slice> {
    for (let from = first; from < chunk.count; ) {
      const { batch, columns } = this.#loadKept(this.#batchOf(chunk.from + from));
      const inBatch = chunk.from + from - batch.firstRow;
      const maxRows = Math.max(1, Math.floor((ENCODED_CHUNK_BYTES * batch.rowCount) / batch.bytes));
      const rowCount = Math.min(maxRows, chunk.count - from, batch.rowCount - inBatch);
      yield { from, rowCount, columns: columns.map((column) => sliceColumn(column, inBatch, rowCount)) };
      from += rowCount;
    }
  }

  /** The index of the first batch that is too much for a chunk that begins with a given one. */
  #chunkEnd(first: number): number {
    let { bufferCount } = this.batches[first];
    let end = first + 1;
    while (end < this.batches.length && end < first + CHUNK_BATCHES) {
      bufferCount += this.batches[end].bufferCount;
      if (bufferCount > MAX_CHUNK_BUFFERS) break;
      end++;
    }
    return end;
  }

  #batchOf(row: number): number {
    let low = 0;
    let high = this.batches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.batches[middle].firstRow <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The columns of a record batch. @param where which it is, for errors @throws ApiError invalid_request */
  load(index: number, where: string): Data[] {
    const { at, dictionaries } = this.batches[index];
    const [{ message, body }] = messagesOf(this.stream.subarray(at));
    const types = this.sent.fields.map(({ type }) => type);
    return new ColumnLoader(where, batchHeader(message), body, dictionaries).load(types);
  }

  #loadKept(index: number): LoadedBatch {
    const batch = this.batches[index];
    if (this.#loaded?.batch !== batch) {
      this.#loaded = { batch, columns: this.load(index, 'a record batch') };
    }
    return this.#loaded;
  }
}

/** Rows of an Arrow table. The slice that was read last is kept: rows are read in their order. */
class ArrowRows implements ChunkRows {
  #slice: Slice | undefined;
  /** Readers of its columns, made when they are first used. */
  #cells: Cells[] = [];
  #numbers: ((row: number) => number)[] = [];

  constructor(
    private readonly source: ArrowSource,
    private readonly chunk: TableChunk,
  ) {}

  number(row: number, column: number): number {
    const { columns, from } = this.#sliceOf(row);
    this.#numbers[column] ??= numbersOf(columns[column]);
    return this.#numbers[column](row - from);
  }

  statesNumber(row: number, column: number): boolean {
    const { columns, from } = this.#sliceOf(row);
    return isValid(columns[column], row - from);
  }

  stated(row: number, column: number, isText: boolean): unknown {
    const text = isText ? this.text(row, column) : null;
    if (text !== null) return fromLatin1(text);
    return isText || !this.statesNumber(row, column) ? undefined : this.number(row, column);
  }

  text(row: number, column: number): string | null {
    const { columns, from } = this.#sliceOf(row);
    this.#cells[column] ??= cellsOf(columns[column]);
    return this.#cells[column].text(row - from);
  }

  json(row: number, column: number): string {
    const text = this.text(row, column);
    if (text === null) return 'null';
    if (this.#cells[column].isString) return JSON.stringify(text);
    return NOT_FINITE.has(text) ? 'null' : text;
  }

  arrowBatches(): Iterable<ArrowBatch> {
    return this.source.slices(this.chunk, 0);
  }

  rest(from: number): TableChunk {
    return restOf(this.chunk, from, 0);
  }

  #sliceOf(row: number): Slice {
    const last = this.#slice;
    if (last !== undefined && row >= last.from && row < last.from + last.rowCount) return last;
    const [slice] = this.source.slices(this.chunk, row);
    this.#slice = slice;
    this.#cells = [];
    this.#numbers = [];
    return slice;
  }
}
