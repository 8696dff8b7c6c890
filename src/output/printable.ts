/** Control and direction characters, line separators and lone surrogates: what a terminal acts on or cannot show. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHOWN_CHARACTERS = 100;

/** A line as a terminal may show it: what it would act on is written as `\uXXXX`, in JSON the same text as before. */
export function printable(line: string): string {
  return line.replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether a text can be shown as it is. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}

/** A message, which may be a library's and have several lines, as one line. */
export function oneLine(message: string): string {
  return printable(message.trim().replaceAll(/\s*[\r\n]+\s*/g, ' '));
}

/** A text that may be long, cut for a message that repeats it. */
export function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS
    ? `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)`
    : text;
}

/** A value in quotation marks, on one line and cut short, for a message that repeats it. */
export function quote(value: string): string {
  return `"${printable(shorten(value))}"`;
}
