import { hash, randomBytes } from 'node:crypto';
import { KEY_PREFIX } from '../redact.js';

const SECRET_BYTES = 16;
const WELL_FORMED = /^nurse_live_[0-9a-f]{32}$/;

/** A new API key: the prefix and 128 bits from the operating system's CSPRNG as 32 lower-case hexadecimal digits. */
export function generateKey(): string {
  return KEY_PREFIX + randomBytes(SECRET_BYTES).toString('hex');
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
