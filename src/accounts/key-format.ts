import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'nurse_live_';
const SECRET_BYTES = 16;
const SHOWN_DIGITS = 4;
const WELL_FORMED = /^nurse_live_[0-9a-f]{32}$/;

/** A new API key: the prefix and 128 bits from the operating system's CSPRNG as 32 lower-case hexadecimal digits. */
export function generateKey(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('hex');
}

/** Whether a text can be a key at all, so that nonsense is turned away without asking the store. */
export function isWellFormed(secret: string): boolean {
  return WELL_FORMED.test(secret);
}

/**
 * SHA-256 of a key as 64 hexadecimal digits: the only form in which a key is stored or looked up.
 *
 * Looking up the hash, not the key, also takes the timing of the comparison out of a caller's hands: whoever can
 * choose a hash's leading digits has inverted SHA-256. A slow password hash would add nothing to 128 random bits.
 */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}

/** The form of a key that may be shown and stored: its first digits, as in `nurse_live_ab12…`. */
export function displayForm(secret: string): string {
  return `${secret.slice(0, PREFIX.length + SHOWN_DIGITS)}…`;
}

/** The start of a key in what somebody typed, in any case, also where a URL has its underscores encoded. */
const TYPED_PREFIX = /nurse(?:_|%5f)live(?:_|%5f)/i;
const TYPED_KEY = new RegExp(`${TYPED_PREFIX.source}[0-9a-f]{5,}`, 'gi');

/** A text with every key in it cut to its display form, for messages that repeat what somebody typed. */
export function redactKeys(text: string): string {
  // To look first takes a third of the time, and almost no text has a key in it.
  return TYPED_PREFIX.test(text) ? text.replaceAll(TYPED_KEY, displayForm) : text;
}
