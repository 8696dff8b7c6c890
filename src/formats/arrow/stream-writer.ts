import {
  AsyncByteQueue,
  Bool,
  type Data,
  DataType,
  Dictionary,
  Float32,
  Float64,
  Int8,
  Int16,
  type Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  type Schema,
  Struct,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import type { OutputColumn, TextLists } from '../table/output-columns.js';
import { ColumnBuilder } from './column-builder.js';

/** Collects what a writer of Arrow writes: the queue of the library is read asynchronously. */
class CollectingSink extends AsyncByteQueue {
  chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }
}

export class StreamWriter {
  readonly #sink = new CollectingSink();
  readonly #writer = new RecordBatchStreamWriter();

  /**
   * The schema is the first that is written; each dictionary precedes the first record batch that has it.
   * @param first all dictionaries by their id, if they are to be written at once
   */
  constructor(
    private readonly schema: Schema,
    first?: ReadonlyMap<number, Vector>,
  ) {
    this.#writer.reset(this.#sink, schema);
    if (first === undefined) return;
    const none = schema.fields.map(({ type }) => {
      const dictionary = DataType.isDictionary(type) ? first.get(type.id) : undefined;
      return makeData({ type, length: 0, dictionary } as never);
    });
    this.write(none, 0);
  }

  write(children: Data[], length: number): void {
    const type = new Struct(this.schema.fields);
    this.#writer.write(new RecordBatch(this.schema, makeData({ type, length, nullCount: 0, children })));
  }

  finish(): void {
    this.#writer.finish();
  }

  /** What was written since the last call, in memory of its own. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Buffer.concat(this.#sink.chunks));
    this.#sink.chunks = [];
    return bytes;
  }
}

type ColumnKind = Pick<OutputColumn<never>, 'type' | 'texts'>;

/** Makes columns of Arrow from columns of an answer. */
export class OutputTypes {
  readonly #lists: Record<string, { readonly type: Dictionary; readonly texts: Vector<Utf8> }> = {};

  /**
   * @param ids of the dictionaries of lists: any that the library chooses would differ from answer to answer
   * @param indexes the type of indexes; by default the smallest
   */
  constructor(lists: TextLists, ids: Partial<Record<keyof TextLists, number>>, indexes?: Int32) {
    for (const [name, id] of Object.entries(ids)) {
      const texts = lists[name as keyof TextLists];
      const smallest = texts.length < 2 ** 7 ? new Int8() : new Int16();
      const type = new Dictionary(new Utf8(), indexes ?? smallest, id);
      this.#lists[name] = { type, texts: vectorFromArray([...texts], new Utf8()) };
    }
  }

  /** The texts of the lists by the ids of their dictionaries. */
  get dictionaries(): ReadonlyMap<number, Vector> {
    return new Map(Object.values(this.#lists).map(({ type, texts }) => [type.id, texts]));
  }

  typeOf({ type, texts }: ColumnKind): DataType {
    if (texts !== undefined) return this.#lists[texts].type;
    return type === 'flag' ? new Bool() : type === 'float64' ? new Float64() : new Float32();
  }

  builder(column: ColumnKind, length: number): ColumnBuilder {
    const texts = column.texts === undefined ? undefined : this.#lists[column.texts].texts;
    return new ColumnBuilder(this.typeOf(column), length, texts);
  }

  read<Rows>(column: OutputColumn<Rows>, rows: Rows, length: number): ColumnBuilder {
    const builder = this.builder(column, length);
    column.read(rows, builder.values);
    return builder;
  }
}
