import { isUtf8 } from 'node:buffer';
import {
  type Data,
  DataType,
  type Dictionary,
  type Message,
  type MessageHeader,
  makeData,
  type Vector,
} from 'apache-arrow';
import { strideForType } from 'apache-arrow/type';
import { hasOffsets, isText } from './column-types.js';
import { ALIGNMENT, damaged } from './messages.js';
import { readType, sliceColumn, VIEW_BYTES, viewReader } from './text-views.js';

/** The layout of the body of a record batch or a dictionary. */
export type BatchHeader = ReturnType<Message<MessageHeader.RecordBatch>['header']>;
export type DictionaryBatch = ReturnType<Message<MessageHeader.DictionaryBatch>['header']>;

/** The dictionaries that have been sent so far, by their id. */
export type Dictionaries = ReadonlyMap<number, Vector>;

type Offsets = Int32Array | BigInt64Array;

/** The most bytes of view texts in a row if texts share bytes: a small body could otherwise cause a huge answer. */
const MAX_SHARED_TEXT_BYTES = 4096;

/** Which rows of a column have no value. A null count of -1 means that it is not known. */
type Nulls = Pick<Data, 'length' | 'nullCount' | 'nullBitmap'>;

/**
 * Reads columns from the body of a message without copying. The library would take lengths and offsets as they are stated;
 * here each is checked against the bytes that are there, so that no column has fewer values than it says, every text is
 * UTF-8 with a length of 0 or more, and no index is beyond its dictionary.
 * @param where the message, for errors
 */
export function columnLoader(
  where: string,
  header: BatchHeader,
  body: Uint8Array,
  dictionaries: Dictionaries,
) {
  let [nodeIndex, bufferIndex, viewColumns] = [0, 0, 0];
  /** The bytes of all texts of views, and an upper bound of those in one row. */
  let [viewTextBytes, longestViewTexts] = [0, 0];
  /** Bytes that no buffer has claimed: with shared bytes, a small body could cause a huge answer. */
  let unclaimedBytes = body.length;
  const isSharingTexts = () => viewTextBytes > body.length;
  const problem = (what: string) => damaged(where, what);
  if (header.compression) throw problem('its buffers are compressed: write the stream with compression none');
  return { load, loadDictionary };

  /** The columns of a record batch. @throws ApiError invalid_request */
  function load(types: readonly DataType[]): Data[] {
    const columns = types.map((type) => readColumn(type));
    if (columns.some(({ length }) => length !== header.length)) throw problem('its columns differ in length');
    return columns;
  }

  /** The values of a dictionary; of views, written out as utf8. @throws ApiError invalid_request */
  function loadDictionary(type: DataType): Data {
    const [values] = load([type]);
    if (!DataType.isUtf8View(type)) return values;
    if (isSharingTexts()) throw problem('texts of views share their bytes: send the dictionary as utf8');
    return sliceColumn(values, 0, values.length);
  }

  function readColumn(type: DataType): Data {
    const { length, nullCount } = nextNode();
    if (DataType.isNull(type)) return makeData({ type, length });
    const nullBitmap = readBytes(nullCount === 0 ? 0 : Math.ceil(length / 8));
    // The library counts the nulls: the stated number may be wrong.
    const nulls = { length, nullCount: nullCount === 0 ? 0 : -1, nullBitmap };
    if (DataType.isDictionary(type)) return readIndices(type, nulls);
    if (DataType.isBool(type)) return makeData({ ...nulls, type, data: readBytes(Math.ceil(length / 8)) });
    if (DataType.isUtf8View(type)) return readViews(type, nulls);
    if (!hasOffsets(type)) {
      const data = readNumbers(type.ArrayType, length * strideForType(type));
      return makeData({ ...nulls, type, data } as never);
    }
    const valueOffsets = readOffsets(type.OffsetArrayType, length);
    const data = readBytes(Number(valueOffsets[length]));
    if (isText(type)) checkTexts(valueOffsets, data);
    return makeData({ ...nulls, type, valueOffsets, data } as never);
  }

  function readViews(type: DataType, nulls: Nulls): Data {
    const views = readBytes(VIEW_BYTES * nulls.length);
    const variadicBuffers: Uint8Array[] = [];
    for (let left = header.variadicBufferCounts[viewColumns++] ?? 0; left > 0; left--)
      variadicBuffers.push(readBytes());
    const column = makeData({ ...nulls, type, views, variadicBuffers } as never) as Data;
    const bytesOf = viewReader(column);
    const longestBefore = longestViewTexts;
    for (let row = 0; row < nulls.length; row++) {
      const text = bytesOf(row);
      if (text === undefined) throw problem('a view of a text points outside its buffer');
      viewTextBytes += text.length;
      longestViewTexts = Math.max(longestViewTexts, longestBefore + text.length);
      if (isSharingTexts() && longestViewTexts > MAX_SHARED_TEXT_BYTES)
        throw problem(
          `texts of views share their bytes and have up to ${longestViewTexts} in a row, where ${MAX_SHARED_TEXT_BYTES} are allowed: send these columns as utf8`,
        );
      if (!isUtf8(text)) throw problem('a text is not UTF-8');
    }
    return column;
  }

  function readIndices(type: Dictionary, nulls: Nulls): Data {
    const dictionary = dictionaries.get(type.id);
    if (dictionary === undefined) throw problem(`dictionary ${type.id} was not sent`);
    const { length } = nulls;
    const data = readNumbers((type.indices as DataType).ArrayType, length);
    const column = makeData({ ...nulls, type: readType(type), data, dictionary } as never) as Data;
    for (let row = 0; row < length; row++) {
      const isWithin = data[row] >= 0 && data[row] < dictionary.length;
      if (!isWithin && column.getValid(row))
        throw problem(`an index is ${data[row]}, but dictionary ${type.id} has ${dictionary.length} values`);
    }
    return column;
  }

  function nextNode() {
    const node = header.nodes[nodeIndex++];
    if (node === undefined) throw problem('it has fewer columns than the schema');
    if (!(node.length >= 0 && node.nullCount >= 0 && node.nullCount <= node.length))
      throw problem(`a column claims ${node.length} values, ${node.nullCount} of them null`);
    return node;
  }

  /** The next buffer as `count` numbers. @param ArrayType of any numbers, though its type says offsets */
  function readNumbers(ArrayType: DataType['OffsetArrayType'], count: number) {
    const { buffer, byteOffset } = readBytes(count * ArrayType.BYTES_PER_ELEMENT);
    return new ArrayType(buffer, byteOffset, count);
  }

  /** The next buffer, or its first `count` bytes. */
  function readBytes(count?: number): Uint8Array {
    const region = header.buffers[bufferIndex++];
    if (region === undefined) throw problem('it has fewer buffers than its columns need');
    const { offset, length } = region;
    if (!(offset >= 0 && length >= 0 && offset + length <= body.length && offset % ALIGNMENT === 0))
      throw problem(`a buffer claims bytes ${offset} to ${offset + length} of ${body.length}`);
    unclaimedBytes -= length;
    if (unclaimedBytes < 0) throw problem('its buffers overlap');
    if (count !== undefined && length < count)
      throw problem(`a buffer has ${length} bytes, but its column needs ${count}`);
    return body.subarray(offset, offset + (count ?? length));
  }

  /** The offsets of `length` values, which must not decrease. */
  function readOffsets(ArrayType: DataType['OffsetArrayType'], length: number): Offsets {
    // An empty column may omit its offsets.
    if (length === 0 && header.buffers[bufferIndex]?.length === 0) {
      bufferIndex++;
      return new ArrayType(1);
    }
    const offsets = readNumbers(ArrayType, length + 1);
    let last = 0;
    for (const offset of offsets) {
      if (!(offset >= last)) throw problem('the offsets of a column decrease');
      last = Number(offset);
    }
    return offsets;
  }

  function checkTexts(offsets: Offsets, bytes: Uint8Array): void {
    if (!isUtf8(bytes.subarray(Number(offsets[0])))) throw problem('a text is not UTF-8');
    for (const offset of offsets) {
      const at = Number(offset);
      if (at < bytes.length && (bytes[at] & 0xc0) === 0x80) throw problem('a text ends within a character');
    }
  }
}
