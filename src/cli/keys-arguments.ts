import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { isKeyId, isOwner, OWNER_RULE } from '../accounts/api-key.js';
import { type AccountDump, accountDump } from '../accounts/store/account-dump.js';
import { TIER_NAMES, type Tier } from '../accounts/tiers.js';
import { quote, shorten } from '../output/printable.js';
import { UsageError } from './command-line.js';

const OVERLAP_MAX_MINUTES = 30 * 24 * 60;
const MS_PER_MINUTE = 60_000;

/** The only positional argument, a key id. */
export function keyIdFrom(positionals: readonly string[]): string {
  if (positionals.length !== 1) {
    throw new UsageError(`expected one KEY_ID, not ${positionals.length}; "keys list" shows the ids`);
  }
  const [id] = positionals;
  if (isKeyId(id)) return id;
  throw new UsageError(
    `${quote(id)} is not a key id; ids look like key_0123456789ab and "keys list" shows them`,
  );
}

/** The value of `--tier`. */
export function tierFrom(value: string | undefined): Tier {
  const tier = TIER_NAMES.find((name) => name === value);
  if (tier !== undefined) return tier;
  const given = value === undefined ? '--tier is missing' : `--tier ${quote(value)} is not a tier`;
  throw new UsageError(`${given}; the tiers are ${TIER_NAMES.join(', ')}`);
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
  if (/^\d+$/.test(value) && minutes <= OVERLAP_MAX_MINUTES) return minutes * MS_PER_MINUTE;
  throw new UsageError(
    `--overlap-minutes ${quote(value)} must be a whole number from 0 to ${OVERLAP_MAX_MINUTES}`,
  );
}

/** The value of `--day`, a valid date as `YYYY-MM-DD`; `undefined` when absent. */
export function dayFrom(value: string | undefined): string | undefined {
  if (value === undefined || z.iso.date().safeParse(value).success) return value;
  throw new UsageError(`--day ${quote(value)} is not a day; it must be a UTC day such as 2026-11-20`);
}

/** The content of the only positional argument, a file written by `keys export`. */
export function readDump(positionals: readonly string[]): AccountDump {
  if (positionals.length !== 1) {
    throw new UsageError(`expected one FILE written by "keys export", not ${positionals.length}`);
  }
  const [file] = positionals;
  const json = readJson(file);
  const dump = accountDump.safeParse(json);
  if (dump.success) return dump.data;
  const [{ path, message }] = dump.error.issues;
  const value = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown>)?.[name], json);
  const given = typeof value === 'object' || value === undefined ? '' : ` (${quote(String(value))})`;
  throw new UsageError(
    `${quote(file)} is not a file of "keys export": ${path.join('.') || 'content'}: ${shorten(message)}${given}`,
  );
}

function readJson(file: string): unknown {
  try {
    const stat = statSync(file);
    // A device such as /dev/zero has no end.
    if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is not a file');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read as JSON: ${shorten((error as Error).message)}`);
  }
}
