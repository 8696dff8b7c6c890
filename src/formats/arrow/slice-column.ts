import { type Data, DataType, makeData } from 'apache-arrow';
import { ViewTexts } from './text-views.js';

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
