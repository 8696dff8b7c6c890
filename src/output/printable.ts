/** Characters that a terminal interprets or cannot show: control and direction characters, line separators, surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

const MAX_CHARACTERS = 100;

/** A line that is safe for a terminal: unprintable characters are written as `\uXXXX`, so that JSON keeps its meaning. */
export function printable(line: string): string {
  return line.replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}

export function oneLine(message: string): string {
  return printable(message.trim().replaceAll(/\s*[\r\n]+\s*/g, ' '));
}

/** A text cut to a length that fits into a message. */
export function shorten(text: string): string {
  return text.length > MAX_CHARACTERS
    ? `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`
    : text;
}

/** A value in quotation marks for a message: on one line and cut to a readable length. */
export function quote(value: string): string {
  return `"${printable(shorten(value))}"`;
}

/** The start of an API key in any text, in upper or lower case, also with the underscores percent-encoded. */
const PREFIX_IN_TEXT = /nurse(?:_|%5f)live(?:_|%5f)/i;
const KEY_IN_TEXT = new RegExp(`${PREFIX_IN_TEXT.source}[0-9a-f]{5,}`, 'gi');

/** The form of an API key that may be shown and stored: its first digits, as in `nurse_live_ab12…`. */
export function displayForm(key: string): string {
  return `${key.slice(0, 'nurse_live_ab12'.length)}…`;
}

/** A text with every API key in it cut to its display form, for messages that quote input. */
export function redactKeys(text: string): string {
  // Testing first takes a third of the time, and almost no text contains a key.
  return PREFIX_IN_TEXT.test(text) ? text.replaceAll(KEY_IN_TEXT, displayForm) : text;
}
