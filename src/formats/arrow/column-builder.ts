import { type Data, DataType, makeData, Utf8, util, type Vector } from 'apache-arrow';

/** Builds a column row by row. A row that is cleared has no value. */
export class ColumnBuilder {
  /** Numbers, indexes into the dictionary, or 0 and 1 of a column of booleans. */
  readonly values: Float64Array;
  readonly #bitmap: Uint8Array;
  readonly #texts: string[];

  /** @param dictionary of a column of texts that has one */
  constructor(
    readonly type: DataType,
    private readonly length: number,
    private readonly dictionary?: Vector<Utf8>,
  ) {
    this.#bitmap = new Uint8Array(Math.ceil(length / 8)).fill(0xff);
    const ValuesType = DataType.isDictionary(type) ? type.indices.ArrayType : type.ArrayType;
    const isText = DataType.isUtf8(type);
    this.#texts = isText ? new Array(length).fill('') : [];
    this.values = new ValuesType(isText ? 0 : length);
  }

  /** Sets a row to null. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.values[row] = 0;
  }

  /** @param text UTF-8 as latin1 */
  setText(row: number, text: string): void {
    this.#texts[row] = text;
  }

  data(dictionary = this.dictionary): Data {
    const { type, length } = this;
    const nulls = { nullCount: -1, nullBitmap: this.#bitmap }; // the library counts them
    if (DataType.isUtf8(type)) return textColumn(this.#texts, nulls);
    const data = DataType.isBool(type) ? util.packBools(this.values) : this.values;
    return makeData({ ...nulls, type, length, data, dictionary } as never);
  }
}

/** A column of texts. @param texts UTF-8 as latin1 @param nulls `nullCount` and `nullBitmap`; none by default */
export function textColumn(texts: readonly string[], nulls: object = { nullCount: 0 }): Data<Utf8> {
  const { length } = texts;
  const valueOffsets = new Int32Array(length + 1);
  for (let row = 0; row < length; row++) valueOffsets[row + 1] = valueOffsets[row] + texts[row].length;
  const data = Buffer.from(texts.join(''), 'latin1');
  return makeData({ type: new Utf8(), length, ...nulls, valueOffsets, data });
}
