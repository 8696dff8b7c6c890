/** All that is no Char of XML 1.0 (section 2.2): control characters and halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text without the characters that XML cannot have. */
export const withoutControls = (text: string) => text.replaceAll(FORBIDDEN, '');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as content or attribute of XML. */
export const escaped = (text: string) =>
  withoutControls(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
