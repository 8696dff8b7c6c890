import { type Data, Dictionary, Field, Int32, Schema, Utf8, Vector } from 'apache-arrow';
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
import type { TableRequest } from '../table/table-request.js';
import type { ChunkRows, EncodedRows, RowErrors, TableOutput, TableSource } from '../table/table-source.js';
import { toLatin1 } from '../text/text-formats.js';
import { ColumnBuilder, textColumn } from './column-builder.js';
import { OutputTypes, StreamWriter } from './stream-writer.js';

const NO_MESSAGES = new Vector([textColumn([])]);
const ERROR_CODE = { type: 'text', texts: 'codes' } as const;

/**
 * Writes the answer to a table as an Arrow stream: a chunk is a record batch. The dictionaries precede the first; that of the
 * messages precedes each batch that has any.
 */
export class ArrowOutput implements TableOutput {
  readonly head: Uint8Array;
  readonly tail = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0); // the end of a stream
  readonly #schema: Schema;
  readonly #columns: readonly OutputColumn<PredictedRows>[];
  readonly #lists: TextLists;
  readonly #types: OutputTypes;
  readonly #messageType: Dictionary<Utf8, Int32>;
  /** Our dictionaries that a chunk without messages has. */
  readonly #dictionaries: ReadonlyMap<number, Vector>;

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
    this.#dictionaries = new Map([...this.#types.dictionaries, [id + 3, NO_MESSAGES]]);
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
    const before = () => new Map([...(this.source.dictionariesBefore?.(chunk) ?? []), ...this.#dictionaries]);
    const writer = new StreamWriter(this.#schema, chunk.from > 0 ? before() : undefined);
    writer.take(); // sent with the head and the chunks before
    writer.write([...rows.arrowColumns(), ...this.#ourColumns(predicted, errors, chunk.count)], chunk.count);
    return { bytes: writer.take(), rowCount: chunk.count };
  }

  #ourColumns(predicted: PredictedRows, errors: RowErrors, count: number): Data[] {
    const columns = this.#columns.map((column) => this.#types.read(column, predicted, count));
    const code = this.#types.builder(ERROR_CODE, count);
    const message = new ColumnBuilder(this.#messageType, count);
    const messages = new Map<string, number>();
    for (let row = 0; row < count; row++) {
      const error = errors.get(row);
      if (error === undefined) {
        code.clear(row);
        message.clear(row);
      } else {
        for (const column of columns) column.clear(row);
        code.values[row] = this.#lists.codes.indexOf(error.code);
        const index = messages.get(error.message) ?? messages.size;
        messages.set(error.message, index);
        message.values[row] = index;
      }
    }
    const texts =
      messages.size > 0 ? new Vector([textColumn([...messages.keys()].map(toLatin1))]) : NO_MESSAGES;
    return [...columns.map((column) => column.data()), code.data(), message.data(texts)];
  }
}
