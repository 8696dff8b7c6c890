import { TIER_NAMES, type Tier } from '../accounts/tiers.js';
import { UsageError } from './usage-error.js';

const OWNER_MAX_CHARACTERS = 200;
const OVERLAP_MAX_MINUTES = 30 * 24 * 60;
const MS_PER_MINUTE = 60_000;

/** The one key id a command takes. */
export function keyIdFrom(positionals: readonly string[]): string {
  if (positionals.length !== 1) {
    throw new UsageError(`one KEY_ID is needed, ${positionals.length} were given; "keys list" shows the ids`);
  }
  const id = positionals[0];
  if (!/^key_[0-9a-f]{12}$/.test(id)) {
    throw new UsageError(
      `"${id}" is not a key id; ids look like key_0123456789ab and "keys list" shows them`,
    );
  }
  return id;
}

/** The value of `--tier`. */
export function tierFrom(value: string | undefined): Tier {
  const tier = TIER_NAMES.find((name) => name === value);
  if (tier === undefined) {
    const given = value === undefined ? '--tier is missing' : `--tier "${value}" is not a tier`;
    throw new UsageError(`${given}; the tiers are ${TIER_NAMES.join(', ')}`);
  }
  return tier;
}

/** The value of `--owner`, trimmed: one line that says whom the key was given to. */
export function ownerFrom(value: string | undefined): string {
  const owner = value?.trim() ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (owner === '' || owner.length > OWNER_MAX_CHARACTERS || /[\u0000-\u001f\u007f]/.test(owner)) {
    throw new UsageError(`--owner must be given, one line of 1 to ${OWNER_MAX_CHARACTERS} characters`);
  }
  return owner;
}

/** The value of `--overlap-minutes` in milliseconds; 0 when absent. */
export function overlapMsFrom(value: string | undefined): number {
  if (value === undefined) return 0;
  const minutes = Number(value);
  if (!/^\d+$/.test(value) || minutes > OVERLAP_MAX_MINUTES) {
    throw new UsageError(
      `--overlap-minutes "${value}" must be a whole number from 0 to ${OVERLAP_MAX_MINUTES}`,
    );
  }
  return minutes * MS_PER_MINUTE;
}

/** The value of `--day`, a real day as `YYYY-MM-DD`; `undefined` when absent. */
export function dayFrom(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const moment = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== value) {
    throw new UsageError(`--day "${value}" is not a day; it must be a UTC day as in 2026-11-20`);
  }
  return value;
}
