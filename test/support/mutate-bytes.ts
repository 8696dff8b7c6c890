/** Bytes that mean something in JSON, CSV or Arrow. */
const SPECIAL_BYTES = Buffer.from('",\n\r{}[]:\\0-eN\0\x01\x08\x7f\x80\xff', 'latin1');

/** A body with a few bytes changed, removed or repeated. */
export function mutateBytes(body: Buffer, random: () => number): Buffer {
  let bytes = Buffer.from(body);
  const position = () => Math.floor(random() * bytes.length);
  for (let change = Math.floor(random() * 4); change >= 0 && bytes.length > 0; change--) {
    const at = position();
    const kind = Math.floor(random() * 6);
    if (kind === 0) bytes[at] = Math.floor(256 * random());
    else if (kind === 1) bytes[at] = SPECIAL_BYTES[Math.floor(random() * SPECIAL_BYTES.length)]!;
    else if (kind === 2) bytes[at]! ^= 1 << Math.floor(8 * random());
    else if (kind === 3) bytes = bytes.subarray(0, at);
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(random() * 9))]);
    else {
      const from = position();
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + 8), bytes.subarray(at)]);
    }
  }
  return bytes;
}
