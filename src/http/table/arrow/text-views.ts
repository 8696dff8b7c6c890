import { isUtf8 } from 'node:buffer';
import { DataType, Dictionary, type Field, Schema, Utf8 } from 'apache-arrow';

/** Which rows of a column have no value; a null count of -1 is not known. */
export interface Nulls {
  readonly length: number;
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array;
}

/*
 * Texts as views, as Polars writes them: of each its length and either its bytes or where they are. They are read as utf8,
 * and come back so. See "Variable-size Binary View Layout" in the columnar format of Arrow.
 */

const VIEW_BYTES = 16;
const MAX_INLINE_BYTES = 12;
const INLINE_AT = 4;
const BUFFER_AT = 8;
const OFFSET_AT = 12;

/** The bytes of views. */
export function viewBytes(count: number): number {
  return count * VIEW_BYTES;
}

/**
 * @param maxBytes of all texts together: views may refer to the same bytes any number of times
 * @throws RangeError where a view claims bytes that are not there, or all of them together too many
 */
export function textsOfViews(
  views: Uint8Array,
  buffers: readonly Uint8Array[],
  { length: count, nullCount, nullBitmap }: Nulls,
  maxBytes: number,
): { valueOffsets: Int32Array; data: Uint8Array } {
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const valueOffsets = new Int32Array(count + 1);
  const texts: Uint8Array[] = [];
  for (let row = 0; row < count; row++) {
    const at = viewBytes(row);
    const isNull = nullCount !== 0 && (nullBitmap[row >> 3] & (1 << (row & 7))) === 0;
    const length = isNull ? 0 : view.getInt32(at, true);
    let text = views.subarray(at + INLINE_AT, at + INLINE_AT + length);
    if (length > MAX_INLINE_BYTES) {
      const offset = view.getInt32(at + OFFSET_AT, true);
      text = buffers[view.getInt32(at + BUFFER_AT, true)]?.subarray(offset, offset + length) ?? text;
      if (offset < 0) throw new RangeError();
    }
    const end = valueOffsets[row] + length;
    if (length < 0 || text.length !== length || end > maxBytes || !isUtf8(text)) throw new RangeError();
    valueOffsets[row + 1] = end;
    texts.push(text);
  }
  return { valueOffsets, data: Buffer.concat(texts) };
}

const utf8Types = new WeakMap<DataType, Utf8>();

/** The type of a column that is read: of views, utf8. Dictionaries that share their values still do. */
export function readType(type: DataType): DataType {
  if (DataType.isUtf8View(type)) {
    const utf8 = utf8Types.get(type) ?? new Utf8();
    utf8Types.set(type, utf8);
    return utf8;
  }
  if (!DataType.isDictionary(type) || !DataType.isUtf8View(type.dictionary)) return type;
  return new Dictionary(readType(type.dictionary), type.indices, type.id, type.isOrdered);
}

/** A schema with the types that are read. */
export function readSchema({ fields, metadata }: Schema): Schema {
  return new Schema(
    fields.map((field: Field) => field.clone({ type: readType(field.type) })),
    metadata,
  );
}
