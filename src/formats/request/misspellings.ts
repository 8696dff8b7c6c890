/** Names that are one edit from an option's and that callers use for tags of their own. */
const TAGS: readonly string[] = ['condition', 'elevation'];

/** The option that a name is one edit from; undefined where there is none. */
export function optionNear(name: string, options: readonly string[]): string | undefined {
  return TAGS.includes(name) ? undefined : options.find((option) => isOneEditAway(name, option));
}

/**
 * Finds the misspelt options of an object.
 * @param options which the object may have
 * @returns for each that the object lacks, the name that is near to it; of several the last
 */
export function misspellingsIn(object: object, options: readonly string[]): ReadonlyMap<string, string> {
  const nearest = new Map<string, string>();
  for (const name in object) {
    const option = optionNear(name, options);
    if (option !== undefined && !Object.hasOwn(object, option)) nearest.set(option, name);
  }
  return nearest;
}

/**
 * Whether a name differs from an ASCII one by one character that is inserted, left out or replaced, or by two neighbours
 * that are swapped (Damerau-Levenshtein distance 1).
 */
function isOneEditAway(name: string, ascii: string): boolean {
  if (Math.abs(name.length - ascii.length) > 2 || name === ascii) return false; // a character may be two code units
  let at = 0;
  while (at < ascii.length && name[at] === ascii[at]) at++;
  const next = at + ((name.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  return (
    name.slice(next) === ascii.slice(at + 1) ||
    name.slice(next) === ascii.slice(at) ||
    name.slice(at) === ascii.slice(at + 1) ||
    (name[at] === ascii[at + 1] && name[at + 1] === ascii[at] && name.slice(at + 2) === ascii.slice(at + 2))
  );
}
