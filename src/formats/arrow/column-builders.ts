import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  type Float32,
  Float64,
  Int8,
  Int16,
  type Int32,
  makeData,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';

/** Columns of a known number of rows, which are filled row by row. A row that is cleared has no value. */
abstract class ColumnBuilder {
  abstract readonly type: DataType;
  readonly #bitmap: Uint8Array;
  #nullCount = 0;

  constructor(protected length: number) {
    this.#bitmap = new Uint8Array(Math.ceil(length / 8)).fill(0xff);
  }

  /** Starts again, in the same memory, with at most as many rows as at first. What `data` gave before is then void. */
  begin(length: number): void {
    this.length = length;
    this.#nullCount = 0;
    this.#bitmap.fill(0xff);
  }

  /** Sets a row to null; at most once for each row, and only before it has a value. */
  clear(row: number): void {
    this.#bitmap[row >> 3] &= ~(1 << (row & 7));
    this.#nullCount++;
  }

  abstract data(): Data;

  /** What `makeData` takes of every column. */
  protected get nulls() {
    const nullBitmap = this.#bitmap.subarray(0, Math.ceil(this.length / 8));
    return { length: this.length, nullCount: this.#nullCount, nullBitmap };
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

  override begin(length: number): void {
    super.begin(length);
    this.values.fill(0);
  }

  data(): Data {
    const data = this.values.subarray(0, this.length) as Float64Array;
    return makeData({ ...this.nulls, type: this.type as Float64, data });
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
  #texts: string[] = [];

  override begin(length: number): void {
    super.begin(length);
    this.#texts = [];
  }

  /** @param text latin1 that holds UTF-8 */
  set(row: number, text: string): void {
    this.#texts[row] = text;
  }

  data(): Data {
    return makeData({ ...this.nulls, type: this.type, ...utf8Of(this.#texts, this.length) });
  }
}

const NO_TEXTS = vectorFromArray<Utf8>([], new Utf8());

/** Texts of which many are the same. Each part of a table that has any sends a list of its own, each text once. */
export class RepeatedTextColumn extends ColumnBuilder {
  readonly #indexes: Int32Array;
  readonly #indexOf = new Map<string, number>();
  #sent = NO_TEXTS;

  constructor(
    length: number,
    readonly type: Dictionary<Utf8, Int32>,
  ) {
    super(length);
    this.#indexes = new Int32Array(length);
  }

  override begin(length: number): void {
    super.begin(length);
    this.#indexes.fill(0);
    this.#indexOf.clear();
  }

  /** @param text latin1 that holds UTF-8 */
  set(row: number, text: string): void {
    const index = this.#indexOf.get(text) ?? this.#indexOf.size;
    if (index === this.#indexOf.size) this.#indexOf.set(text, index);
    this.#indexes[row] = index;
  }

  /** Begins without a list. */
  forget(): void {
    this.#sent = NO_TEXTS;
  }

  /** The same list as before, which is not sent again, where no row has a text. */
  data(): Data {
    const length = this.#indexOf.size;
    if (length > 0) {
      const texts = utf8Of([...this.#indexOf.keys()], length);
      this.#sent = new Vector([makeData({ type: new Utf8(), length, nullCount: 0, ...texts })]);
    }
    const data = this.#indexes.subarray(0, this.length);
    return makeData({ ...this.nulls, type: this.type, data, dictionary: this.#sent });
  }
}

/** `length` texts as Arrow stores them. @param texts latin1 that holds UTF-8; one that is missing is empty */
function utf8Of(texts: readonly string[], length: number): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(length + 1);
  let end = 0;
  for (let row = 0; row < texts.length; row++) {
    end += texts[row]?.length ?? 0;
    valueOffsets[row + 1] = end;
  }
  valueOffsets.fill(end, texts.length + 1);
  return { valueOffsets, data: Buffer.from(texts.join(''), 'latin1') };
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

  override begin(length: number): void {
    super.begin(length);
    this.indexes.fill(0);
  }

  data(): Data {
    const data = this.indexes.subarray(0, this.length);
    return makeData({ ...this.nulls, type: this.type, data, dictionary: this.texts });
  }
}

/** Texts that columns refer to by their index. */
export class TextList {
  readonly type: Dictionary<Utf8, Int8 | Int16>;
  readonly #texts: Vector<Utf8>;

  constructor(texts: readonly string[], id: number) {
    const text = new Utf8();
    this.#texts = vectorFromArray(texts, text);
    this.type = new Dictionary(text, texts.length < 2 ** 7 ? new Int8() : new Int16(), id);
  }

  column(count: number): DictionaryColumn {
    return new DictionaryColumn(count, this.type, this.#texts);
  }
}
