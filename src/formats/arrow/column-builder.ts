import { type Data, DataType, makeData, type Utf8, util, type Vector } from 'apache-arrow';

/** Builds a column row by row. A row that is cleared has no value. */
export class ColumnBuilder {
  /** Numbers, indexes into the dictionary, or 0 and 1 of a column of booleans. */
  readonly values: Float64Array;
  readonly #bitmap: Uint8Array;
  #nullCount = 0;
  readonly #texts: string[] = [];

  /** @param dictionary of a column of texts that has one */
  constructor(
    readonly type: DataType,
    private readonly length: number,
    private readonly dictionary?: Vector<Utf8>,
  ) {
    this.#bitmap = new Uint8Array(Math.ceil(length / 8)).fill(0xff);
    const ValuesType = DataType.isDictionary(type) ? type.indices.ArrayType : type.ArrayType;
    this.values = new ValuesType(DataType.isUtf8(type) ? 0 : length);
  }

  /** Sets a row to null; at most once. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.#nullCount++;
    this.values[row] = 0;
  }

  /** @param text UTF-8 as latin1 */
  setText(row: number, text: string): void {
    this.#texts[row] = text;
  }

  data(dictionary = this.dictionary): Data {
    const { type, length } = this;
    const nulls = { length, nullCount: this.#nullCount, nullBitmap: this.#bitmap };
    if (DataType.isUtf8(type)) return makeData({ ...nulls, type, ...utf8Of(this.#texts, length) });
    const data = DataType.isBool(type) ? util.packBools(this.values) : this.values;
    return makeData({ ...nulls, type, data, dictionary } as never);
  }
}

/** `length` texts as Arrow stores them. @param texts UTF-8 as latin1; one that is missing is empty */
export function utf8Of(
  texts: readonly string[],
  length = texts.length,
): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(length + 1);
  let end = 0;
  for (let row = 0; row < texts.length; row++) {
    end += texts[row]?.length ?? 0;
    valueOffsets[row + 1] = end;
  }
  valueOffsets.fill(end, texts.length + 1);
  return { valueOffsets, data: Buffer.from(texts.join(''), 'latin1') };
}
