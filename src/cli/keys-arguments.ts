import { isOwner, OWNER_RULE } from '../accounts/owner.js';
import { TIER_NAMES, type Tier } from '../accounts/tiers.js';
import { isCalendarDay } from '../accounts/utc-day.js';
import { quote } from '../output/printable.js';
import { UsageError } from './command-line.js';

const OVERLAP_MAX_MINUTES = 30 * 24 * 60;
const MS_PER_MINUTE = 60_000;

/** The only positional argument, a key id. */
export function keyIdFrom(positionals: readonly string[]): string {
  if (positionals.length !== 1) {
    throw new UsageError(`expected one KEY_ID, not ${positionals.length}; "keys list" shows the ids`);
  }
  const id = positionals[0];
  if (!/^key_[0-9a-f]{12}$/.test(id)) {
    throw new UsageError(
      `${quote(id)} is not a key id; ids look like key_0123456789ab and "keys list" shows them`,
    );
  }
  return id;
}

/** The value of `--tier`. */
export function tierFrom(value: string | undefined): Tier {
  const tier = TIER_NAMES.find((name) => name === value);
  if (tier === undefined) {
    const given = value === undefined ? '--tier is missing' : `--tier ${quote(value)} is not a tier`;
    throw new UsageError(`${given}; the tiers are ${TIER_NAMES.join(', ')}`);
  }
  return tier;
}

/** The value of `--owner`, trimmed: the person or group that the key is issued to. */
export function ownerFrom(value: string | undefined): string {
  const owner = value?.trim() ?? '';
  if (isOwner(owner)) return owner;
  throw new UsageError(`--owner must be ${OWNER_RULE}${owner === '' ? '' : `, not ${quote(owner)}`}`);
}

/** The value of `--overlap-minutes` in milliseconds; 0 when absent. */
export function overlapMsFrom(value: string | undefined): number {
  if (value === undefined) return 0;
  const minutes = Number(value);
  if (!/^\d+$/.test(value) || minutes > OVERLAP_MAX_MINUTES) {
    throw new UsageError(
      `--overlap-minutes ${quote(value)} must be a whole number from 0 to ${OVERLAP_MAX_MINUTES}`,
    );
  }
  return minutes * MS_PER_MINUTE;
}

/** The value of `--day`, a valid date as `YYYY-MM-DD`; `undefined` when absent. */
export function dayFrom(value: string | undefined): string | undefined {
  if (value === undefined || isCalendarDay(value)) return value;
  throw new UsageError(`--day ${quote(value)} is not a day; it must be a UTC day such as 2026-11-20`);
}
