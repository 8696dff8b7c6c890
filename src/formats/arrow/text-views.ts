import { type Data, DataType, Dictionary, type Field, makeData, Schema, Utf8 } from 'apache-arrow';

/*
 * Texts as views, as Polars writes them: of each its length and either its bytes or where they are. They come back as utf8.
 * See "Variable-size Binary View Layout" in the columnar format of Arrow.
 */

export const VIEW_BYTES = 16;
const VIEW_WORDS = VIEW_BYTES / Int32Array.BYTES_PER_ELEMENT;
const MAX_INLINE_BYTES = 12;
const INLINE_AT = 4;
const BUFFER_WORD = 2;
const OFFSET_WORD = 3;
const NOTHING = new Uint8Array(0);

export class ViewTexts {
  readonly #words: Int32Array;

  constructor(private readonly column: Data) {
    const { buffer, byteOffset, length } = column.values;
    this.#words = new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
  }

  /** The bytes of a text, none where it is null; undefined where they are not where its view says. */
  bytes(row: number): Uint8Array | undefined {
    const { values, variadicBuffers } = this.column;
    if (!this.column.getValid(row)) return NOTHING;
    const at = VIEW_WORDS * row;
    const length = this.#words[at];
    if (length < 0) return undefined;
    const isInline = length <= MAX_INLINE_BYTES;
    const buffer = isInline ? values : variadicBuffers[this.#words[at + BUFFER_WORD]];
    const start = isInline ? VIEW_BYTES * row + INLINE_AT : this.#words[at + OFFSET_WORD];
    const isThere = buffer !== undefined && start >= 0 && start + length <= buffer.length;
    return isThere ? buffer.subarray(start, start + length) : undefined;
  }

  /** Rows [from, from + length) of a checked column as utf8 has them. */
  slice(from: number, length: number) {
    const texts = Array.from({ length }, (_, row) => this.bytes(from + row) ?? NOTHING);
    const valueOffsets = new Int32Array(length + 1);
    for (const [row, text] of texts.entries()) valueOffsets[row + 1] = valueOffsets[row] + text.length;
    return { type: readType(this.column.type), valueOffsets, data: Buffer.concat(texts) };
  }
}

/** One object: columns that share a dictionary must share the type of its values. */
const UTF8 = new Utf8();

/** The type of a column in an answer: of views, utf8. */
export function readType(type: DataType): DataType {
  if (DataType.isUtf8View(type)) return UTF8;
  if (!DataType.isDictionary(type) || !DataType.isUtf8View(type.dictionary)) return type;
  return new Dictionary(readType(type.dictionary), type.indices, type.id, type.isOrdered);
}

/** A schema with the types of an answer. */
export function readSchema({ fields, metadata }: Schema): Schema {
  return new Schema(
    fields.map((field: Field) => field.clone({ type: readType(field.type) })),
    metadata,
  );
}

/**
 * Rows [from, from + length) of a column that has not been sliced. The library's own slices are written with the rest of
 * the column's bitmaps, which for a few rows of a large column is far more than their values. Texts of views are written out.
 */
export function sliceColumn(data: Data, from: number, length: number): Data {
  const { type, dictionary } = data;
  if (DataType.isNull(type)) return makeData({ type, length });
  const hasNulls = data.nullCount > 0;
  const nulls = {
    length,
    nullCount: hasNulls ? -1 : 0,
    nullBitmap: hasNulls ? sliceBits(data.nullBitmap, from, length) : new Uint8Array(0),
  };
  if (DataType.isBool(type)) return makeData({ ...nulls, type, data: sliceBits(data.values, from, length) });
  if (DataType.isUtf8View(type))
    return makeData({ ...nulls, ...new ViewTexts(data).slice(from, length) } as never);
  const { values, valueOffsets } = data.slice(from, length);
  return makeData({ ...nulls, type, data: values, valueOffsets, dictionary } as never);
}

function sliceBits(bits: Uint8Array, from: number, length: number): Uint8Array {
  const bytes = bits.subarray(from >> 3, (from + length + 7) >> 3);
  const shift = from & 7;
  if (shift === 0) return bytes;
  const shifted = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < shifted.length; i++) shifted[i] = (bytes[i] >> shift) | (bytes[i + 1] << (8 - shift));
  return shifted;
}
