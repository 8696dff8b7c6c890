import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { isOwner, KEY_ID, type KeyRecord, type KeyState, OWNER_RULE } from '../accounts/api-key.js';
import {
  type AccountDump,
  accountDump,
  must,
  readDump,
  tier,
  writeDump,
} from '../accounts/store/account-dump.js';
import type { KeyAdministration } from '../accounts/store/key-administration.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { wholeNumber } from '../config.js';
import { quote, shorten } from '../output/printable.js';
import { UsageError } from './command-line.js';

const OVERLAP_MAX_MINUTES = 30 * 24 * 60;
const MS_PER_MINUTE = 60_000;

const owner = z.string(must(OWNER_RULE)).trim().refine(isOwner, must(OWNER_RULE));

const keyId = z
  .string(must('the id of a key, which "keys list" shows'))
  .regex(KEY_ID, must('an id such as key_0123456789ab, which "keys list" shows'));

const overlapMs = wholeNumber(0, OVERLAP_MAX_MINUTES)
  .transform((minutes) => minutes * MS_PER_MINUTE)
  .default(0);

const day = z.iso.date(must('a UTC day such as 2026-11-20')).optional();

/** The content of a file, read before the command opens a store. */
const dump = z.string(must('a file written by "keys export"')).transform(readDumpFile);

const SHOWN_ONCE = 'shown only once; treat it as a password.';

/** Prints the output of a command, as JSON or as lines, and escapes it. @throws OutputError */
export type Print = (json: unknown, lines: readonly string[]) => void;

export interface KeysCommand<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly synopsis: string;
  readonly description: string;
  readonly schema: Shape;
  /** What the error adds if the output could not be printed. */
  readonly ifUnprinted: string;
  /** Whether it creates an embedded store that does not exist. */
  readonly createsStore?: boolean;
  /** Whether it prints a key, which is lost if nobody sees it. */
  readonly printsSecret?: boolean;
  run(keys: KeyAdministration, values: z.output<z.ZodObject<Shape>>, print: Print): Promise<void>;
}

/** Gives `run` the types of its schema. */
const command = <Shape extends z.ZodRawShape>(definition: KeysCommand<Shape>) =>
  definition as unknown as KeysCommand;

export const KEYS_COMMANDS: Readonly<Record<string, KeysCommand>> = {
  issue: command({
    synopsis: `--tier ${TIER_NAMES.join('|')} --owner OWNER`,
    description: 'Issue a key and print it. It is shown only once.',
    schema: { tier, owner },
    ifUnprinted: 'nothing was issued',
    createsStore: true,
    printsSecret: true,
    async run(keys, { tier, owner }, print) {
      await keys.issue(tier, owner, ({ key, secret }) => {
        const json = { key: secret, ...keyJson(key) };
        print(json, [`Issued. The key is ${SHOWN_ONCE}`, '', ...fields(json)]);
      });
    },
  }),
  list: command({
    synopsis: '',
    description: 'List all keys, oldest first.',
    schema: {},
    ifUnprinted: 'the list is not complete',
    async run(keys, _values, print) {
      const json = (await keys.list()).map(keyJson);
      print(json, table(json, 'There are no keys; "keys issue" issues one.'));
    },
  }),
  deactivate: stateChange('deactivated', 'Reject the key (403) until it is activated again.'),
  activate: stateChange('active', 'Accept a deactivated key again.'),
  revoke: stateChange('revoked', 'Reject the key (401) permanently.'),
  rotate: command({
    synopsis: 'KEY_ID [--overlap-minutes N]',
    description:
      'Give the key a new secret and print it once. The old secret is rejected at once, or after N minutes.',
    schema: { KEY_ID: keyId, 'overlap-minutes': overlapMs },
    ifUnprinted: 'the old key stays valid',
    printsSecret: true,
    async run(keys, { KEY_ID: id, 'overlap-minutes': overlap }, print) {
      await keys.rotate(id, overlap, ({ key, secret }, oldSecretValidUntilMs) => {
        const shown = { key: secret, ...keyJson(key) };
        const validUntil = oldSecretValidUntilMs === null ? null : isoTime(oldSecretValidUntilMs);
        const oldKey = validUntil === null ? 'is rejected from now on' : `is accepted until ${validUntil}`;
        const heading = `Rotated: the old key ${oldKey}. The new key is ${SHOWN_ONCE}`;
        print({ ...shown, old_key_valid_until: validUntil }, [heading, '', ...fields(shown)]);
      });
    },
  }),
  usage: command({
    synopsis: '[KEY_ID] [--day YYYY-MM-DD]',
    description: 'Show the number of requests by key and UTC day.',
    schema: { KEY_ID: keyId.optional(), day },
    ifUnprinted: 'the list is not complete',
    async run(keys, { KEY_ID, day }, print) {
      const usage = await keys.usage({ keyId: KEY_ID, day });
      const json = usage.map(({ keyId, day, requests }) => ({ day, id: keyId, requests }));
      print(json, table(json, 'No requests were counted.'));
    },
  }),
  export: command({
    synopsis: '',
    description:
      'Print the whole store as JSON for import into another. It contains hashes of keys, not the keys.',
    schema: {},
    ifUnprinted: 'the export is not complete',
    async run(keys, _values, print) {
      const json = await readDump(keys.store);
      print(json, JSON.stringify(json, null, 2).split('\n'));
    },
  }),
  import: command({
    synopsis: 'FILE',
    description: 'Add all keys and counts from a file of "keys export", or none.',
    schema: { FILE: dump },
    ifUnprinted: 'everything was imported',
    createsStore: true,
    async run(keys, { FILE: dump }, print) {
      await writeDump(keys.store, dump);
      const imported = dump.keys.length;
      print({ imported }, [`Keys imported with their secrets and counts: ${imported}.`]);
    },
  }),
};

function stateChange(state: KeyState, description: string): KeysCommand {
  return command({
    synopsis: 'KEY_ID',
    description,
    schema: { KEY_ID: keyId },
    ifUnprinted: `the key is ${state}`,
    async run(keys, { KEY_ID }, print) {
      const json = keyJson(await keys.setState(KEY_ID, state));
      print(json, fields(json));
    },
  });
}

function keyJson({ id, tier, owner, state, display, created_at_ms }: KeyRecord) {
  return { id, tier, owner, state, display, created_at: isoTime(created_at_ms) };
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

/** Records with the same fields as a table with a heading, or a line for no records. */
function table(records: readonly Record<string, unknown>[], ifNone: string): string[] {
  if (records.length === 0) return [ifNone];
  const names = Object.keys(records[0]);
  const rows = [names, ...records.map((record) => names.map((name) => String(record[name] ?? '-')))];
  const widths = names.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  );
  const padded = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]));
  return rows.map((row) => padded(row).join('  ').trimEnd());
}

/** @throws UsageError */
function readDumpFile(file: string): AccountDump {
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
    if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is not a file'); // a device may have no end
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read as JSON: ${shorten((error as Error).message)}`);
  }
}
