import type { Data, Schema } from 'apache-arrow';
import type { TableChunk } from '../table/table-request.js';
import { type ChunkRows, ENCODED_CHUNK_BYTES, type TableSource } from '../table/table-source.js';
import { fromLatin1 } from '../text/text-formats.js';
import { type Cells, cellsOf } from './cells.js';
import { type BatchHeader, columnLoader, type Dictionaries } from './load-columns.js';
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
  /** The length of its body. */
  readonly bytes: number;
}

/** A table from a checked Arrow stream. Batches are loaded when they are needed: their columns are views of the body. */
export class ArrowSource implements TableSource {
  readonly names: readonly string[];
  readonly arrowSchema: Schema;
  /** The batch that was loaded last: the next chunk mostly has rows of it, too. */
  #loaded: { readonly batch: StreamBatch; readonly columns: readonly Data[] } | undefined;

  /** @param stream aligned @param sent its schema */
  constructor(
    private readonly stream: Uint8Array,
    private readonly sent: Schema,
    readonly batches: readonly StreamBatch[],
    readonly rowCount: number,
  ) {
    this.arrowSchema = readSchema(sent);
    this.names = sent.fields.map(({ name }) => name);
  }

  /** Chunks of at most ENCODED_CHUNK_BYTES, if these have more than one row. Small batches share a chunk. */
  *chunks(maxRows: number): Generator<TableChunk> {
    let open = { from: 0, count: 0, start: 0, end: 0 };
    let openBytes = 0;
    for (const { firstRow, rowCount, bytes } of this.batches) {
      const rowBytes = bytes / rowCount;
      const rows = Math.min(maxRows, Math.max(1, Math.floor(ENCODED_CHUNK_BYTES / rowBytes)));
      for (let row = 0; row < rowCount; row += rows) {
        const count = Math.min(rows, rowCount - row);
        if (open.count + count > maxRows || openBytes + count * rowBytes > ENCODED_CHUNK_BYTES) {
          if (open.count > 0) yield open;
          open = { from: firstRow + row, count: 0, start: 0, end: 0 };
          openBytes = 0;
        }
        open.count += count;
        openBytes += count * rowBytes;
      }
    }
    if (open.count > 0) yield open;
  }

  dictionariesBefore({ from }: TableChunk): Dictionaries {
    return this.#batchOf(from - 1).dictionaries;
  }

  rows(chunk: TableChunk): ChunkRows {
    const batch = this.#batchOf(chunk.from);
    if (this.#loaded?.batch !== batch) this.#loaded = { batch, columns: this.load(batch, 'a record batch') };
    const inBatch = chunk.from - batch.firstRow;
    const count = Math.min(chunk.count, batch.rowCount - inBatch);
    const columns = this.#loaded.columns.map((column) => sliceColumn(column, inBatch, count));
    return arrowRows(columns, { ...chunk, count });
  }

  #batchOf(row: number): StreamBatch {
    return this.batches[this.batches.findLastIndex(({ firstRow }) => firstRow <= row)];
  }

  /** The columns of a record batch. @param where which it is, for errors @throws ApiError invalid_request */
  load({ at, dictionaries }: StreamBatch, where: string): Data[] {
    const [{ message, body }] = messagesOf(this.stream.subarray(at));
    const types = this.sent.fields.map(({ type }) => type);
    return columnLoader(where, message.header() as BatchHeader, body, dictionaries).load(types);
  }
}

/** @param columns slices with the rows of the chunk; dictionaries are whole */
function arrowRows(columns: readonly Data[], chunk: TableChunk): ChunkRows {
  const read: Cells[] = [];
  const cellsAt = (column: number) => {
    read[column] ??= cellsOf(columns[column]);
    return read[column];
  };
  const number = (row: number, column: number) => cellsAt(column).number(row);
  const textAt = (row: number, column: number) => cellsAt(column).text(row);
  return {
    chunk,
    number,
    stated(row, column, isText) {
      if (!isText) return number(row, column);
      const text = textAt(row, column);
      return text === null ? undefined : fromLatin1(text);
    },
    text: textAt,
    json(row, column) {
      const text = textAt(row, column);
      if (text === null) return 'null';
      if (cellsAt(column).isString) return JSON.stringify(text);
      return /^(?:NaN|-?Infinity)$/.test(text) ? 'null' : text; // JSON has no such numbers
    },
    arrowColumns: () => columns,
  };
}
