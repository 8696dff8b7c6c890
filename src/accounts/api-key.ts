import { hash, randomBytes } from 'node:crypto';
import { isPrintable } from '../output/printable.js';
import type { Tier } from './tiers.js';

/** `deactivated` can be activated again; `revoked` is final. */
export const KEY_STATES = ['active', 'deactivated', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** A key as the store has it: never the secret itself. */
export interface KeyRecord {
  /** `key_` and 12 hexadecimal digits. */
  readonly id: string;
  readonly tier: Tier;
  readonly owner: string;
  readonly state: KeyState;
  /** The start of the current secret, as in `nurse_live_ab12…`. */
  readonly display: string;
  readonly created_at_ms: number;
}

export const KEY_ID = /^key_[0-9a-f]{12}$/;

const MAX_OWNER_CHARACTERS = 200;

export const OWNER_RULE = `one line of 1 to ${MAX_OWNER_CHARACTERS} characters without control or direction characters or spaces around it`;

/** Whether a text is a valid owner of a key: one that every output can show. */
export function isOwner(text: string): boolean {
  return text !== '' && text.length <= MAX_OWNER_CHARACTERS && text === text.trim() && isPrintable(text);
}

/** A new API key: the prefix and 128 bits from the operating system's CSPRNG as 32 lower-case hexadecimal digits. */
export function generateKey(): string {
  return `nurse_live_${randomBytes(16).toString('hex')}`;
}

/** Whether a text has the format of a key; others are refused without a query. */
export function isWellFormed(secret: string): boolean {
  return /^nurse_live_[0-9a-f]{32}$/.test(secret);
}

/**
 * SHA-256 of a key as 64 hexadecimal digits: the only form in which a key is stored or looked up.
 * Looking up the hash instead of the key also makes the timing of the comparison useless to an attacker: choosing a
 * hash's leading digits means inverting SHA-256. A slow password hash would add nothing to 128 random bits.
 */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}
