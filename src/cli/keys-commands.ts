import type { z } from 'zod';
import type { KeyRecord, KeyState } from '../accounts/api-key.js';
import type { KeyAdministration } from '../accounts/store/key-administration.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { day, dump, keyId, overlapMs, owner, tier } from './keys-arguments.js';

const SHOWN_ONCE = 'shown only this once; keep it like a password.';

/** The output of a command, as text and as JSON. Neither is escaped yet. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** Whether it contains a secret. */
  readonly isSecret?: boolean;
}

export interface KeysCommand<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly synopsis: string;
  readonly description: string;
  /** See `parseArguments`. */
  readonly schema: Shape;
  /** The result if the output could not be printed. */
  readonly ifUnprinted: string;
  /** Whether it creates an embedded store that does not exist. */
  readonly createsStore?: boolean;
  /** @param print throws OutputError */
  run(
    keys: KeyAdministration,
    values: z.output<z.ZodObject<Shape>>,
    print: (output: Output) => void,
  ): Promise<void>;
}

/** Gives `run` the types of its schema. */
const command = <Shape extends z.ZodRawShape>(definition: KeysCommand<Shape>) =>
  definition as unknown as KeysCommand;

export const KEYS_COMMANDS: Readonly<Record<string, KeysCommand>> = {
  issue: command({
    synopsis: `--tier ${TIER_NAMES.join('|')} --owner OWNER`,
    description: 'Issue a key and print it, only this once.',
    schema: { tier, owner },
    ifUnprinted: 'nothing was issued',
    createsStore: true,
    async run(keys, { tier, owner }, print) {
      await keys.issue(tier, owner, ({ key, secret }) => {
        const json = { key: secret, ...keyJson(key) };
        print({ json, lines: [`Issued. The key is ${SHOWN_ONCE}`, '', ...fields(json)], isSecret: true });
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
      print({ json, lines: table(json, 'There are no keys; "keys issue" issues one.') });
    },
  }),
  deactivate: stateChange('deactivated', 'Refuse the key (403) until it is activated again.'),
  activate: stateChange('active', 'Accept a deactivated key again.'),
  revoke: stateChange('revoked', 'Refuse the key (401) permanently.'),
  rotate: command({
    synopsis: 'KEY_ID [--overlap-minutes N]',
    description:
      'Give the key a new secret and print it, only this once. The old secret is refused at once, or after N minutes.',
    schema: { KEY_ID: keyId, 'overlap-minutes': overlapMs },
    ifUnprinted: 'the old key stays valid',
    async run(keys, { KEY_ID: id, 'overlap-minutes': overlap }, print) {
      await keys.rotate(id, overlap, ({ key, secret, oldSecretValidUntilMs }) => {
        const shown = { key: secret, ...keyJson(key) };
        const validUntil = oldSecretValidUntilMs === null ? null : isoTime(oldSecretValidUntilMs);
        const oldKey = validUntil === null ? 'is refused from now on' : `is accepted until ${validUntil}`;
        print({
          json: { ...shown, old_key_valid_until: validUntil },
          lines: [`Rotated: the old key ${oldKey}. The new key is ${SHOWN_ONCE}`, '', ...fields(shown)],
          isSecret: true,
        });
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
      print({ json, lines: table(json, 'No requests were counted.') });
    },
  }),
  export: command({
    synopsis: '',
    description:
      'Print the whole store as JSON for import into another. It contains hashes of keys, not the keys.',
    schema: {},
    ifUnprinted: 'the export is not complete',
    async run(keys, _values, print) {
      const json = await keys.export();
      print({ json, lines: JSON.stringify(json, null, 2).split('\n') });
    },
  }),
  import: command({
    synopsis: 'FILE',
    description: 'Add everything that another store exported, or nothing.',
    schema: { FILE: dump },
    ifUnprinted: 'everything was imported',
    createsStore: true,
    async run(keys, { FILE: dump }, print) {
      await keys.import(dump);
      const imported = dump.keys.length;
      print({ json: { imported }, lines: [`Imported ${imported} keys with their secrets and counts.`] });
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
      print({ json, lines: fields(json) });
    },
  });
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
