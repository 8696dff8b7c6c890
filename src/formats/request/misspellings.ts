/** Names that are one edit from an option's and that callers use for tags of their own. */
const TAGS: readonly string[] = ['condition', 'elevation'];

/** A field whose name is one edit from that of an option which its object lacks. */
export interface Misspelling {
  readonly name: string;
  readonly option: string;
}

/** The option that a name is one edit from; undefined where there is none. */
export function optionNear(name: string, options: readonly string[]): string | undefined {
  return TAGS.includes(name) ? undefined : options.find((option) => isOneEditAway(name, option));
}

/**
 * Finds the misspelt options of an object; of several names that are near to one option, the last.
 * @param options which the object may have
 */
export function misspellingsIn(object: object, options: readonly string[]): Misspelling[] {
  const nearest = new Map<string, string>();
  for (const name in object) {
    const option = optionNear(name, options);
    if (option !== undefined) nearest.set(option, name);
  }
  return options.flatMap((option) => {
    const name = nearest.get(option);
    return name === undefined || Object.hasOwn(object, option) ? [] : [{ name, option }];
  });
}

/**
 * Whether a name differs from an ASCII one by one character that is inserted, left out or replaced, or by two neighbours
 * that are swapped (Damerau-Levenshtein distance 1).
 */
function isOneEditAway(name: string, ascii: string): boolean {
  if (Math.abs(name.length - ascii.length) > 2) return false; // a character may be two code units
  const characters = [...name];
  const longer = characters.length - ascii.length;
  if (Math.abs(longer) > 1) return false;
  if (name === ascii) return false;
  let from = 0;
  while (from < ascii.length && characters[from] === ascii[from]) from++;
  let to = ascii.length;
  while (to > from && to + longer > from && characters[to + longer - 1] === ascii[to - 1]) to--;
  const replaced = to - from;
  if (replaced <= 1) return to + longer - from <= 1;
  const isSwapped = characters[from] === ascii[from + 1] && characters[from + 1] === ascii[from];
  return replaced === 2 && longer === 0 && isSwapped;
}
