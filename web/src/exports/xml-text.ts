/** Characters that XML 1.0 forbids (section 2.2): control characters and halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text without the characters that XML forbids. */
export const withoutControls = (text: string) => text.replaceAll(FORBIDDEN, '');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text escaped as content or an attribute of XML. */
export const escaped = (text: string) =>
  withoutControls(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
