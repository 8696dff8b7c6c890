import {
  Bool,
  type Data,
  type DataType,
  type Dictionary,
  type Float32,
  Float64,
  type Int8,
  type Int16,
  makeData,
  Utf8,
  type Vector,
} from 'apache-arrow';

/** Columns of a known number of rows, which are filled row by row. A row that is cleared has no value. */
abstract class ColumnBuilder {
  abstract readonly type: DataType;
  readonly #bitmap: Uint8Array;
  #nullCount = 0;

  constructor(protected readonly length: number) {
    this.#bitmap = new Uint8Array(Math.ceil(length / 8)).fill(0xff);
  }

  /** Of a row that has no value yet; once for each row. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.#nullCount++;
  }

  abstract data(): Data;

  /** What `makeData` takes of every column. */
  protected get nulls() {
    return { length: this.length, nullCount: this.#nullCount, nullBitmap: this.#bitmap };
  }
}

export class NumberColumn extends ColumnBuilder {
  readonly values: Float32Array | Float64Array;

  constructor(
    length: number,
    readonly type: Float32 | Float64 = new Float64(),
  ) {
    super(length);
    this.values = type instanceof Float64 ? new Float64Array(length) : new Float32Array(length);
  }

  data(): Data {
    return makeData({ ...this.nulls, type: this.type as Float64, data: this.values as Float64Array });
  }
}

export class BooleanColumn extends ColumnBuilder {
  readonly type = new Bool();
  readonly #bits = new Uint8Array(Math.ceil(this.length / 8));

  set(row: number, value: boolean): void {
    if (value) this.#bits[row >> 3] |= 1 << (row & 7);
  }

  data(): Data {
    return makeData({ ...this.nulls, type: this.type, data: this.#bits });
  }
}

export class TextColumn extends ColumnBuilder {
  readonly type = new Utf8();
  readonly #texts: string[] = [];

  /** @param text latin1 that holds UTF-8 */
  set(row: number, text: string): void {
    this.#texts[row] = text;
  }

  data(): Data {
    const valueOffsets = new Int32Array(this.length + 1);
    const texts = this.#texts;
    let end = 0;
    for (let row = 0; row < texts.length; row++) {
      end += texts[row]?.length ?? 0;
      valueOffsets[row + 1] = end;
    }
    valueOffsets.fill(end, texts.length + 1);
    const data = Buffer.from(texts.join(''), 'latin1');
    return makeData({ ...this.nulls, type: this.type, valueOffsets, data });
  }
}

/** Texts of a short list, which is sent once. */
export class DictionaryColumn extends ColumnBuilder {
  readonly indexes: Int8Array | Int16Array;

  constructor(
    length: number,
    readonly type: Dictionary<Utf8, Int8 | Int16>,
    private readonly texts: Vector<Utf8>,
  ) {
    super(length);
    this.indexes = new type.indices.ArrayType(length);
  }

  data(): Data {
    return makeData({ ...this.nulls, type: this.type, data: this.indexes, dictionary: this.texts });
  }
}
