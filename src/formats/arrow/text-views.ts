import { isUtf8 } from 'node:buffer';
import { type Data, DataType, Dictionary, type Field, Schema, Utf8 } from 'apache-arrow';

/*
 * Texts as views, as Polars writes them: of each its length and either its bytes or where they are. They come back as utf8.
 * See "Variable-size Binary View Layout" in the columnar format of Arrow.
 */

const VIEW_BYTES = 16;
const VIEW_WORDS = VIEW_BYTES / Int32Array.BYTES_PER_ELEMENT;
const MAX_INLINE_BYTES = 12;
const INLINE_AT = 4;
const BUFFER_WORD = 2;
const OFFSET_WORD = 3;
const NOTHING = new Uint8Array(0);

/** The bytes of views. */
export function viewBytes(count: number): number {
  return count * VIEW_BYTES;
}

/** The texts of a column of views. */
export class ViewTexts {
  readonly #views: Uint8Array;
  readonly #words: Int32Array;
  readonly #buffers: readonly Uint8Array[];

  constructor({ values, variadicBuffers }: Data) {
    this.#views = values;
    this.#words = new Int32Array(values.buffer, values.byteOffset, values.length / 4);
    this.#buffers = variadicBuffers;
  }

  /** The bytes of a text that is not null; undefined where they are not there. */
  bytes(row: number): Uint8Array | undefined {
    const at = VIEW_WORDS * row;
    const length = this.#words[at];
    if (length < 0) return undefined;
    const isInline = length <= MAX_INLINE_BYTES;
    const buffer = isInline ? this.#views : this.#buffers[this.#words[at + BUFFER_WORD]];
    const start = isInline ? viewBytes(row) + INLINE_AT : this.#words[at + OFFSET_WORD];
    const isThere = buffer !== undefined && start >= 0 && start + length <= buffer.length;
    return isThere ? buffer.subarray(start, start + length) : undefined;
  }
}

/** The sizes of texts. */
export interface TextSizes {
  readonly totalBytes: number;
  readonly longestBytes: number;
}

/** The sizes of the texts of a column of views; undefined where a text is not where its view says. */
export function viewSizes(column: Data): TextSizes | undefined {
  const texts = new ViewTexts(column);
  let totalBytes = 0;
  let longestBytes = 0;
  for (let row = 0; row < column.length; row++) {
    if (!column.getValid(row)) continue;
    const text = texts.bytes(row);
    if (text === undefined) return undefined;
    totalBytes += text.length;
    longestBytes = Math.max(longestBytes, text.length);
  }
  return { totalBytes, longestBytes };
}

/** Whether all texts of a column of views are UTF-8: of views that share their bytes, these are read as often. */
export function areUtf8(column: Data): boolean {
  const texts = new ViewTexts(column);
  for (let row = 0; row < column.length; row++)
    if (column.getValid(row) && !isUtf8(texts.bytes(row) ?? NOTHING)) return false;
  return true;
}

/** Rows [from, from + length) of a checked column of views, as utf8 has them. */
export function textsOfViews(
  column: Data,
  from: number,
  length: number,
): { type: DataType; valueOffsets: Int32Array; data: Uint8Array } {
  const views = new ViewTexts(column);
  const valueOffsets = new Int32Array(length + 1);
  const texts: Uint8Array[] = [];
  for (let row = 0; row < length; row++) {
    const text = column.getValid(from + row) ? views.bytes(from + row) : undefined;
    valueOffsets[row + 1] = valueOffsets[row] + (text?.length ?? 0);
    if (text !== undefined) texts.push(text);
  }
  return { type: readType(column.type), valueOffsets, data: Buffer.concat(texts) };
}

const utf8Types = new WeakMap<DataType, Utf8>();

/** The type of a column in an answer: of views, utf8. Dictionaries that share their values still do. */
export function readType(type: DataType): DataType {
  if (DataType.isUtf8View(type)) {
    const utf8 = utf8Types.get(type) ?? new Utf8();
    utf8Types.set(type, utf8);
    return utf8;
  }
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
