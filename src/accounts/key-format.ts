import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'nurse_live_';
const SECRET_BYTES = 16;
const SHOWN_DIGITS = 4;
const WELL_FORMED = /^nurse_live_[0-9a-f]{32}$/;

/** A new API key: the prefix and 128 bits from the operating system's CSPRNG as 32 lower-case hexadecimal digits. */
export function generateKey(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('hex');
}

/** Whether a text has the format of a key; others are refused without a query. */
export function isWellFormed(secret: string): boolean {
  return WELL_FORMED.test(secret);
}

/**
 * SHA-256 of a key as 64 hexadecimal digits: the only form in which a key is stored or looked up.
 *
 * Looking up the hash instead of the key also makes the timing of the comparison useless to an attacker: choosing a
 * hash's leading digits means inverting SHA-256. A slow password hash would add nothing to 128 random bits.
 */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}

/** The form of a key that may be shown and stored: its first digits, as in `nurse_live_ab12…`. */
export function displayForm(secret: string): string {
  return `${secret.slice(0, PREFIX.length + SHOWN_DIGITS)}…`;
}

/** The start of a key in any text, in upper or lower case, also with the underscores percent-encoded. */
const PREFIX_IN_TEXT = /nurse(?:_|%5f)live(?:_|%5f)/i;
const KEY_IN_TEXT = new RegExp(`${PREFIX_IN_TEXT.source}[0-9a-f]{5,}`, 'gi');

/** A text with every key in it cut to its display form, for messages that quote input. */
export function redactKeys(text: string): string {
  // Testing first takes a third of the time, and almost no text contains a key.
  return PREFIX_IN_TEXT.test(text) ? text.replaceAll(KEY_IN_TEXT, displayForm) : text;
}
