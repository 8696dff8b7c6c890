/** What every API key begins with. */
export const KEY_PREFIX = 'nurse_live_';
const SHOWN_DIGITS = 4;

/** The start of a key in any text, in upper or lower case, also with the underscores percent-encoded. */
const PREFIX_IN_TEXT = /nurse(?:_|%5f)live(?:_|%5f)/i;
const KEY_IN_TEXT = new RegExp(`${PREFIX_IN_TEXT.source}[0-9a-f]{5,}`, 'gi');

/** The form of a key that may be shown and stored: its first digits, as in `nurse_live_ab12…`. */
export function displayForm(secret: string): string {
  return `${secret.slice(0, KEY_PREFIX.length + SHOWN_DIGITS)}…`;
}

/** A text with every key in it cut to its display form, for messages that quote input. */
export function redactKeys(text: string): string {
  // Testing first takes a third of the time, and almost no text contains a key.
  return PREFIX_IN_TEXT.test(text) ? text.replaceAll(KEY_IN_TEXT, displayForm) : text;
}
