import { show } from '../errors/shown-value.js';
import { JsonError, OPEN_ARRAY, OPEN_OBJECT, QUOTE, textAt, valueEnd } from '../request/json.js';
import { outlineAt } from '../request/outlines.js';

/** Longer values are named by their kind alone: counting millions of elements would keep the thread for long. */
export const SHORT_BYTES = 4096;

/** The value at an offset of a body whose grammar was checked, as a message shows it. */
export function shownAt(bytes: Buffer, start: number): string {
  if (bytes[start] === OPEN_OBJECT || isShort(bytes, start)) return show(outlineAt(bytes, start));
  if (bytes[start] === OPEN_ARRAY) return 'a long array';
  return bytes[start] === QUOTE ? 'a long text' : 'a long number';
}

/** As `shownAt`, of a field; 0 stands for an absent one. */
export function fieldShownAt(bytes: Buffer, start: number): string {
  return start === 0 ? show(undefined) : shownAt(bytes, start);
}

/** Whether the value at an offset ends within SHORT_BYTES. */
export function isShort(bytes: Buffer, start: number): boolean {
  if (bytes.length - start <= SHORT_BYTES) return true;
  const head = bytes.subarray(start, start + SHORT_BYTES + 1);
  try {
    return valueEnd(head, 0) <= SHORT_BYTES;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

/** A string of at most SHORT_BYTES; undefined for any other value, and where there is none: at offset 0. */
export function shortTextAt(bytes: Buffer, start: number): string | undefined {
  return start !== 0 && isShort(bytes, start) ? textAt(bytes, start) : undefined;
}
