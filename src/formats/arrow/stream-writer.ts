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

export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Collects what a writer of Arrow writes. The library's own queue would join chunks that overlap in memory. */
class CollectingSink extends AsyncByteQueue {
  readonly chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }
}

/**
 * Writes a part of a stream: its schema, a record batch, or both.
 * @param columns of the record batch, which its dictionaries precede unless they were sent; none for the schema alone
 * @param sent the dictionaries sent so far, the last of each id; undefined to begin the stream with its schema
 * @returns bytes in memory of their own
 */
export function writeStream(
  schema: Schema,
  columns?: readonly Data[],
  sent?: ReadonlyMap<number, Vector>,
): Uint8Array<ArrayBuffer> {
  const sink = new CollectingSink();
  const writer = new RecordBatchStreamWriter().reset(sink, schema);
  const type = new Struct(schema.fields);
  const write = (children: Data[]) =>
    writer.write(
      new RecordBatch(schema, makeData({ type, length: children[0].length, nullCount: 0, children })),
    );
  const dictionaryOf = (type: DataType) => (DataType.isDictionary(type) ? sent?.get(type.id) : undefined);
  if (sent?.size)
    write(
      schema.fields.map(({ type }) => makeData({ type, length: 0, dictionary: dictionaryOf(type) } as never)),
    );
  if (sent !== undefined) sink.chunks.length = 0;
  if (columns !== undefined) write([...columns]);
  return new Uint8Array(Buffer.concat(sink.chunks));
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
