import { type Data, DataType, Dictionary, Field, Int32, makeData, Schema, Utf8, Vector } from 'apache-arrow';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import type { PredictorData } from '../../prediction/predictor.js';
import {
  ERROR_COLUMNS,
  type OutputColumn,
  type PredictedRows,
  type TextLists,
  tableColumns,
  textListsOf,
} from '../table/output-columns.js';
import type { TableChunk, TableRequest } from '../table/table-request.js';
import {
  type ChunkRows,
  ENCODED_CHUNK_BYTES,
  type EncodedRows,
  type RowErrors,
  type TableOutput,
  type TableSource,
} from '../table/table-source.js';
import { toLatin1 } from '../text/text-formats.js';
import { ColumnBuilder, textColumn } from './column-builder.js';
import { OutputTypes, StreamWriter } from './stream-writer.js';

const NO_MESSAGES = new Vector([textColumn([])]);
const ERROR_CODE = { type: 'text', texts: 'codes' } as const;

/**
 * Writes the answer to a table as an Arrow stream: a chunk is one or more record batches. The dictionaries precede the
 * first; that of the messages precedes each batch that has any.
 */
export class ArrowOutput implements TableOutput {
  readonly head: Uint8Array;
  readonly tail = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0); // the end of a stream
  readonly #schema: Schema;
  readonly #columns: readonly OutputColumn<PredictedRows>[];
  readonly #lists: TextLists;
  readonly #types: OutputTypes;
  readonly #messageType: Dictionary<Utf8, Int32>;
  /** The messages of the last batch that had any: the library does not write the same dictionary again. */
  #messages = NO_MESSAGES;

  constructor(
    private readonly source: TableSource,
    { manifest, grid }: PredictorData,
    { horizons, intervals }: TableRequest,
  ) {
    const { fields: uploaded, metadata } = source.arrowSchema;
    const used = new Set(uploaded.map(({ type }) => (type instanceof Dictionary ? type.id : -1)));
    let id = 0;
    while ([0, 1, 2, 3].some((n) => used.has(id + n))) id++;
    this.#lists = textListsOf({ grid, manifest });
    this.#types = new OutputTypes(this.#lists, { regions: id, factors: id + 1, codes: id + 2 });
    this.#messageType = new Dictionary(new Utf8(), new Int32(), id + 3);
    this.#columns = tableColumns(horizons, intervals);
    const ours = this.#columns.map((column) => new Field(column.name, this.#types.typeOf(column), true));
    const [code, message] = ERROR_COLUMNS;
    const errors = [
      new Field(code, this.#types.typeOf(ERROR_CODE), true),
      new Field(message, this.#messageType, true),
    ];
    const model = JSON.stringify({ ...modelOf(manifest), outcomes: manifest.outcomes });
    this.#schema = new Schema([...uploaded, ...ours, ...errors], new Map([...metadata, ['model', model]]));
    this.head = new StreamWriter(this.#schema).take();
  }

  encode(rows: ChunkRows, predicted: PredictedRows, errors: RowErrors): EncodedRows {
    const { chunk } = rows;
    const writer = new StreamWriter(this.#schema);
    this.#messages = NO_MESSAGES;
    // The dictionaries that were sent with the chunks before are not sent again.
    if (chunk.from > 0)
      writer.write([...this.#uploadedBefore(chunk), ...this.#ourColumns(predicted, errors, 0, 0)], 0);
    writer.take();
    let from = 0;
    for (const { rowCount, columns } of rows.arrowBatches()) {
      writer.write([...columns, ...this.#ourColumns(predicted, errors, from, rowCount)], rowCount);
      from += rowCount;
      if (writer.length >= ENCODED_CHUNK_BYTES || from >= chunk.count) break;
    }
    return { bytes: writer.take(), rowCount: from };
  }

  /** The uploaded columns without rows, with the dictionaries that were sent before a chunk. */
  #uploadedBefore(chunk: TableChunk): Data[] {
    const dictionaries = this.source.dictionariesBefore?.(chunk);
    return this.source.arrowSchema.fields.map(({ type }) => {
      const dictionary = DataType.isDictionary(type) ? dictionaries?.get(type.id) : undefined;
      return makeData({ type, length: 0, dictionary } as never);
    });
  }

  #ourColumns(predicted: PredictedRows, errors: RowErrors, from: number, count: number): Data[] {
    const rows = predicted.slice(from, count);
    const columns = this.#columns.map((column) => this.#types.read(column, rows, count));
    const code = this.#types.builder(ERROR_CODE, count);
    const message = new ColumnBuilder(this.#messageType, count);
    const messages = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const error = errors.get(from + i);
      if (error === undefined) {
        code.clear(i);
        message.clear(i);
      } else {
        for (const column of columns) column.clear(i);
        code.values[i] = this.#lists.codes.indexOf(error.code);
        const index = messages.get(error.message) ?? messages.size;
        messages.set(error.message, index);
        message.values[i] = index;
      }
    }
    if (messages.size > 0) this.#messages = new Vector([textColumn([...messages.keys()].map(toLatin1))]);
    return [...columns.map((column) => column.data()), code.data(), message.data(this.#messages)];
  }
}
