/*
 * Text whose characters are the bytes of UTF-8: it is made and written without decoding, every character is a byte, and
 * commas, quotes and line ends are where they are in the text.
 */

export function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function fromLatin1(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** The names of columns as JSON with a colon, as latin1. */
export function jsonMembers(names: readonly string[]): string[] {
  return names.map((name) => `${toLatin1(JSON.stringify(name))}:`);
}
