const SPACE = 0x20;

/** Offset of the first byte from `at` on that is not white space of JSON. */
export function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

function isSpace(byte: number): boolean {
  return byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09);
}
