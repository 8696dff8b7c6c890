import { type Data, DataType, makeData, type Utf8, type Vector } from 'apache-arrow';

/** Builds a column row by row. A row that is cleared has no value. */
export class ColumnBuilder {
  readonly #bitmap: Uint8Array;
  #nullCount = 0;
  /** Numbers, indexes into a dictionary, or bits. */
  readonly #values: Float64Array;
  readonly #isBits: boolean;
  readonly #texts: string[] = [];

  /** @param dictionary of a column of texts that has one */
  constructor(
    readonly type: DataType,
    private readonly length: number,
    private readonly dictionary?: Vector<Utf8>,
  ) {
    const bytes = Math.ceil(length / 8);
    this.#bitmap = new Uint8Array(bytes).fill(0xff);
    const ValuesType = DataType.isDictionary(type) ? type.indices.ArrayType : type.ArrayType;
    this.#isBits = DataType.isBool(type);
    this.#values = new ValuesType(this.#isBits ? bytes : DataType.isUtf8(type) ? 0 : length);
  }

  /** Sets a row to null; at most once, and only if it has no value. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.#nullCount++;
  }

  /** @param value a number, an index into the dictionary, or 0 or 1 in a column of booleans */
  set(row: number, value: number): void {
    if (this.#isBits) this.#values[row >> 3] |= value << (row & 7);
    else this.#values[row] = value;
  }

  /** @param text UTF-8 as latin1 */
  setText(row: number, text: string): void {
    this.#texts[row] = text;
  }

  data(dictionary = this.dictionary): Data {
    const { type, length } = this;
    const values = DataType.isUtf8(type) ? utf8Of(this.#texts, length) : { data: this.#values, dictionary };
    const nulls = { length, nullCount: this.#nullCount, nullBitmap: this.#bitmap };
    return makeData({ ...nulls, type, ...values } as never);
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
