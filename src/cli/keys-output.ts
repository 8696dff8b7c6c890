import type { IssuedKey, RotatedKey } from '../accounts/key-administration.js';
import type { DayUsage, KeyRecord } from '../accounts/store/account-store.js';

/** What a command answers, for people and for programs. */
export interface Output {
  readonly text: string;
  readonly json: unknown;
}

/** A new key with its secret. */
export function issuedOutput({ key, secret }: IssuedKey): Output {
  return {
    text: `Issued. The key is shown this once; keep it like a password.\n\n${fields({ key: secret, ...keyJson(key) })}`,
    json: { key: secret, ...keyJson(key) },
  };
}

/** A rotated key with its new secret. */
export function rotatedOutput({ key, secret, oldSecretValidUntilMs }: RotatedKey): Output {
  const validUntil = oldSecretValidUntilMs === null ? null : isoTime(oldSecretValidUntilMs);
  const fate = validUntil === null ? 'is refused from now on' : `is accepted until ${validUntil}`;
  return {
    text:
      `Rotated: the old key ${fate}. The new key is shown this once; keep it like a password.\n\n` +
      fields({ key: secret, ...keyJson(key) }),
    json: { key: secret, ...keyJson(key), old_key_valid_until: validUntil },
  };
}

/** A key after a change of its state. */
export function keyOutput(key: KeyRecord): Output {
  return { text: fields(keyJson(key)), json: keyJson(key) };
}

/** All keys, one line each. */
export function keysOutput(keys: readonly KeyRecord[]): Output {
  return {
    text: keys.length === 0 ? 'There are no keys; "keys issue" makes one.' : table(keys.map(keyJson)),
    json: keys.map(keyJson),
  };
}

/** Requests by key and day, one line each. */
export function usageOutput(usage: readonly DayUsage[]): Output {
  const rows = usage.map(({ keyId, day, requests }) => ({ day, id: keyId, requests }));
  return { text: rows.length === 0 ? 'No requests were counted.' : table(rows), json: rows };
}

function keyJson({ id, tier, owner, state, display, createdAtMs }: KeyRecord) {
  return { id, tier, owner, state, display, created_at: isoTime(createdAtMs) };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** `name  value` lines with the values in one column. */
function fields(record: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
}

/** Records of one shape as lines under a heading, in columns. */
function table(records: readonly Record<string, unknown>[]): string {
  const names = Object.keys(records[0]);
  const rows = [names, ...records.map((record) => names.map((name) => String(record[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
