import { type Data, DataType, makeData } from 'apache-arrow';
import { isLarge, isOffsetBytes } from './column-types.js';
import { textsOfViews } from './text-views.js';

/**
 * Rows [from, from + length) of a column that has not been sliced. The library's own slices are written with the rest of
 * the column's bitmaps, which for runs of a large column is far more than their values. Texts of views are written out.
 */
export function sliceColumn(data: Data, from: number, length: number): Data {
  const { type } = data;
  if (DataType.isNull(type)) return makeData({ type, length });
  const hasNulls = data.nullCount > 0;
  const nulls = {
    length,
    nullCount: hasNulls ? -1 : 0,
    nullBitmap: hasNulls ? sliceBits(data.nullBitmap, from, length) : new Uint8Array(0),
  };
  const to = from + length;
  if (DataType.isBool(type)) return makeData({ ...nulls, type, data: sliceBits(data.values, from, length) });
  if (isOffsetBytes(type)) {
    const valueOffsets = sliceOffsets(data, from, length);
    const bytes = data.values.subarray(Number(data.valueOffsets[from]), Number(data.valueOffsets[to]));
    return makeData({ ...nulls, type, valueOffsets, data: bytes } as never);
  }
  if (DataType.isUtf8View(type)) return makeData({ ...nulls, ...textsOfViews(data, from, length) } as never);
  const values = data.values.subarray(from * data.stride, to * data.stride);
  return makeData({ ...nulls, type, data: values, dictionary: data.dictionary } as never);
}

function sliceBits(bits: Uint8Array, from: number, length: number): Uint8Array {
  const bytes = bits.subarray(from >> 3, (from + length + 7) >> 3);
  const shift = from & 7;
  if (shift === 0) return bytes;
  const shifted = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < shifted.length; i++) shifted[i] = (bytes[i] >> shift) | (bytes[i + 1] << (8 - shift));
  return shifted;
}

/** The offsets of rows, counted from the first of them. */
function sliceOffsets(
  { type, valueOffsets }: Data,
  from: number,
  length: number,
): Int32Array | BigInt64Array {
  const offsets: ArrayLike<number | bigint> = valueOffsets.subarray(from, from + length + 1);
  const first = Number(offsets[0]);
  if (!isLarge(type)) return Int32Array.from(offsets, (offset) => Number(offset) - first);
  return BigInt64Array.from(offsets as ArrayLike<bigint>, (offset) => offset - BigInt(first));
}
