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

/** Reads the bytes of the text of a row: none for null, undefined if the view points outside its buffer. */
export function viewReader(column: Data) {
  const { values, variadicBuffers } = column;
  const { buffer, byteOffset, length } = values;
  const words = new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
  return (row: number): Uint8Array | undefined => {
    if (!column.getValid(row)) return NOTHING;
    const at = VIEW_WORDS * row;
    const length = words[at];
    if (length < 0) return undefined;
    const isInline = length <= MAX_INLINE_BYTES;
    const bytes: Uint8Array | undefined = isInline ? values : variadicBuffers[words[at + BUFFER_WORD]];
    const start = isInline ? VIEW_BYTES * row + INLINE_AT : words[at + OFFSET_WORD];
    const isThere = bytes !== undefined && start >= 0 && start + length <= bytes.length;
    return isThere ? bytes.subarray(start, start + length) : undefined;
  };
}

/** Rows [from, from + length) of a checked column of views as utf8 has them. */
function sliceViews(column: Data, from: number, length: number) {
  const bytesOf = viewReader(column);
  const texts = Array.from({ length }, (_, row) => bytesOf(from + row) ?? NOTHING);
  const valueOffsets = new Int32Array(length + 1);
  for (const [row, text] of texts.entries()) valueOffsets[row + 1] = valueOffsets[row] + text.length;
  return { type: readType(column.type), valueOffsets, data: Buffer.concat(texts) };
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
  if (DataType.isUtf8View(type)) return makeData({ ...nulls, ...sliceViews(data, from, length) } as never);
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
