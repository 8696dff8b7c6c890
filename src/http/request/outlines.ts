import { OversizedNumber, SHOWN_ELEMENTS } from '../errors/shown-value.js';
import { firstElementAt, nextElementAt, OPEN_ARRAY, OPEN_OBJECT, valueEnd } from './json.js';
import type { ObjectFields } from './object-fields.js';

/*
 * A value as far as an error message shows it, in time and memory proportional to its bytes. Each function takes bytes
 * whose grammar was checked and the offset where the value starts.
 */

/**
 * An object without its members, an array without its elements but of their number, a number that JSON.parse would make
 * infinite as it was sent, any other value as JSON.parse makes it.
 */
export function outlineAt(bytes: Buffer, start: number): unknown {
  if (bytes[start] === OPEN_OBJECT) return {};
  if (bytes[start] !== OPEN_ARRAY) {
    const text = bytes.toString('utf8', start, valueEnd(bytes, start));
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' && !Number.isFinite(value) ? new OversizedNumber(text) : value;
  }
  let length = 0;
  for (let at = firstElementAt(bytes, start); at !== 0; at = nextElementAt(bytes, at)) length++;
  return Array(length);
}

/**
 * An array with the elements that are right and the first few others, null for the rest.
 * @param rightAt the element that starts at an offset if it is right, else undefined
 * @param maxElements of an array; a longer one is as `outlineAt` makes it
 */
export function listOutlineAt(
  bytes: Buffer,
  start: number,
  rightAt: (bytes: Buffer, at: number) => unknown,
  maxElements = Number.POSITIVE_INFINITY,
): unknown {
  if (bytes[start] !== OPEN_ARRAY) return outlineAt(bytes, start);
  const elements: unknown[] = [];
  let wrongCount = 0;
  for (let at = firstElementAt(bytes, start); at !== 0; at = nextElementAt(bytes, at)) {
    if (elements.length === maxElements) return outlineAt(bytes, start);
    elements.push(rightAt(bytes, at) ?? (wrongCount++ < SHOWN_ELEMENTS ? outlineAt(bytes, at) : null));
  }
  return elements;
}

/** An object with the fields that are known and the names of the first few others. */
export function objectOutlineAt(bytes: Buffer, start: number, fields: ObjectFields): unknown {
  if (bytes[start] !== OPEN_OBJECT) return outlineAt(bytes, start);
  fields.scan(bytes, start);
  const unknown = fields.unknownNames(bytes).map((name) => [name, null]);
  return Object.fromEntries([...fieldOutlines(bytes, fields), ...unknown]);
}

/** The fields of the object scanned last. @param outlines of fields, by name, that are not as `outlineAt` makes them */
export function fieldOutlines(
  bytes: Buffer,
  { names, starts }: ObjectFields,
  outlines: Readonly<Record<string, (bytes: Buffer, start: number) => unknown>> = {},
): [name: string, value: unknown][] {
  return names.flatMap((name, field) => {
    const start = starts[field];
    return start === 0 ? [] : [[name, (outlines[name] ?? outlineAt)(bytes, start)]];
  });
}
