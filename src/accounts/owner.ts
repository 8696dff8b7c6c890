import { isPrintable } from '../output/printable.js';

const MAX_CHARACTERS = 200;

/** What the owner of a key is, for messages. */
export const OWNER_RULE = `one line of 1 to ${MAX_CHARACTERS} characters without control or direction characters or spaces around it`;

/** Whether a text says whom a key was given to in a form that every output can show. */
export function isOwner(text: string): boolean {
  return text !== '' && text.length <= MAX_CHARACTERS && text === text.trim() && isPrintable(text);
}
