import type { KeyRecord } from '../accounts/api-key.js';

/** The output of a command, as text and as JSON. Neither is escaped yet. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** Whether it contains a secret. */
  readonly isSecret?: boolean;
}

/** A key as commands show it. */
export function keyJson({ id, tier, owner, state, display, createdAtMs }: KeyRecord) {
  return { id, tier, owner, state, display, created_at: isoTime(createdAtMs) };
}

/** ISO 8601, or `null` for an invalid time, which old imports may have left in a store. */
export function isoTime(epochMs: number): string | null {
  const time = new Date(epochMs);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** `name  value` lines with the values in one column. */
export function fields(record: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`);
}

/** Records with the same fields as a table with a heading, or a line for no records. */
export function table(records: readonly Record<string, unknown>[], ifNone: string): string[] {
  if (records.length === 0) return [ifNone];
  const names = Object.keys(records[0]);
  const rows = [names, ...records.map((record) => names.map((name) => String(record[name] ?? '-')))];
  const widths = names.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  );
  const padded = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]));
  return rows.map((row) => padded(row).join('  ').trimEnd());
}
