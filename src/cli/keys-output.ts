import type { IssuedKey, RotatedKey } from '../accounts/key-administration.js';
import type { KeyRecord } from '../accounts/key-record.js';
import type { DayUsage } from '../accounts/store/usage-store.js';

/** The output of a command, as text and as JSON. Neither is escaped yet. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** Whether it contains a secret. */
  readonly isSecret?: boolean;
}

/** A new key with its secret. */
export function issuedOutput({ key, secret }: IssuedKey): Output {
  const json = { key: secret, ...keyJson(key) };
  const heading = 'Issued. The key is shown only this once; keep it like a password.';
  return { lines: [heading, '', ...fields(json)], json, isSecret: true };
}

/** A rotated key with its new secret. */
export function rotatedOutput({ key, secret, oldSecretValidUntilMs }: RotatedKey): Output {
  const record = { key: secret, ...keyJson(key) };
  const validUntil = oldSecretValidUntilMs === null ? null : isoTime(oldSecretValidUntilMs);
  const oldKey = validUntil === null ? 'is refused from now on' : `is accepted until ${validUntil}`;
  const heading = `Rotated: the old key ${oldKey}. The new key is shown only this once; keep it like a password.`;
  return {
    lines: [heading, '', ...fields(record)],
    json: { ...record, old_key_valid_until: validUntil },
    isSecret: true,
  };
}

/** A key after a change of its state. */
export function keyOutput(key: KeyRecord): Output {
  const json = keyJson(key);
  return { lines: fields(json), json };
}

/** All keys, one line each. */
export function keysOutput(keys: readonly KeyRecord[]): Output {
  const json = keys.map(keyJson);
  return { lines: json.length === 0 ? ['There are no keys; "keys issue" issues one.'] : table(json), json };
}

/** Requests by key and day, one line each. */
export function usageOutput(usage: readonly DayUsage[]): Output {
  const json = usage.map(({ keyId, day, requests }) => ({ day, id: keyId, requests }));
  return { lines: json.length === 0 ? ['No requests were counted.'] : table(json), json };
}

function keyJson({ id, tier, owner, state, display, createdAtMs }: KeyRecord) {
  return { id, tier, owner, state, display, created_at: isoTime(createdAtMs) };
}

/** ISO 8601, or `null` for an invalid time, which old imports may have left in a store. */
function isoTime(epochMs: number): string | null {
  const time = new Date(epochMs);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** `name  value` lines with the values in one column. */
function fields(record: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`);
}

/** Records with the same fields as a table with a heading. */
function table(records: readonly Record<string, unknown>[]): string[] {
  const names = Object.keys(records[0]);
  const rows = [names, ...records.map((record) => names.map((name) => String(record[name] ?? '-')))];
  const widths = names.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  );
  const padded = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]));
  return rows.map((row) => padded(row).join('  ').trimEnd());
}
