import { type Data, makeData, Utf8 } from 'apache-arrow';
import { Validity } from './validity.js';

/** A column of texts. @param texts UTF-8 read as latin1; null for none */
export function textColumn(texts: readonly (string | null)[]): Data<Utf8> {
  const valueOffsets = new Int32Array(texts.length + 1);
  texts.forEach((text, row) => {
    valueOffsets[row + 1] = valueOffsets[row] + (text === null ? 0 : text.length);
  });
  const data = Buffer.allocUnsafeSlow(valueOffsets[texts.length]);
  const validity = new Validity(texts.length);
  texts.forEach((text, row) => {
    if (text === null) validity.clear(row);
    else data.write(text, valueOffsets[row], 'latin1');
  });
  return makeData({ type: new Utf8(), length: texts.length, ...validity.nulls(), valueOffsets, data });
}
