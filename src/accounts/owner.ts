import { isPrintable } from '../output/printable.js';

const MAX_CHARACTERS = 200;

/** The format of an owner, for messages. */
export const OWNER_RULE = `one line of 1 to ${MAX_CHARACTERS} characters without control or direction characters or spaces around it`;

/** Whether a text is a valid owner of a key: one that every output can show. */
export function isOwner(text: string): boolean {
  return text !== '' && text.length <= MAX_CHARACTERS && text === text.trim() && isPrintable(text);
}
