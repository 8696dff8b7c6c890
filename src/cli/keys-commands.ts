import type { ParseArgsConfig } from 'node:util';
import type { KeyAdministration } from '../accounts/key-administration.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { dayFrom, keyIdFrom, overlapMsFrom, ownerFrom, tierFrom } from './keys-arguments.js';
import { readDump } from './keys-dump-file.js';
import {
  issuedOutput,
  keyOutput,
  keysOutput,
  type Output,
  rotatedOutput,
  usageOutput,
} from './keys-output.js';
import { UsageError } from './usage-error.js';

/** One command of `keys`: how it is typed, what it does. */
export interface KeysCommand {
  readonly synopsis: string;
  readonly does: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  run(
    keys: KeyAdministration,
    options: Readonly<Record<string, string | undefined>>,
    positionals: readonly string[],
  ): Promise<Output>;
}

const text = { type: 'string' } as const;

/** The commands by name. */
export const KEYS_COMMANDS: Readonly<Record<string, KeysCommand>> = {
  issue: {
    synopsis: `--tier ${TIER_NAMES.join('|')} --owner OWNER`,
    does: 'issue a key and print it, this once',
    options: { tier: text, owner: text },
    async run(keys, { tier, owner }, positionals) {
      refusePositionals(positionals);
      return issuedOutput(await keys.issue(tierFrom(tier), ownerFrom(owner)));
    },
  },
  list: {
    synopsis: '',
    does: 'list all keys, oldest first',
    options: {},
    async run(keys, _options, positionals) {
      refusePositionals(positionals);
      return keysOutput(await keys.list());
    },
  },
  deactivate: {
    synopsis: 'KEY_ID',
    does: 'refuse the key (403) until it is activated again',
    options: {},
    run: async (keys, _options, positionals) =>
      keyOutput(await keys.setState(keyIdFrom(positionals), 'deactivated')),
  },
  activate: {
    synopsis: 'KEY_ID',
    does: 'accept a deactivated key again',
    options: {},
    run: async (keys, _options, positionals) =>
      keyOutput(await keys.setState(keyIdFrom(positionals), 'active')),
  },
  revoke: {
    synopsis: 'KEY_ID',
    does: 'refuse the key (401) for ever',
    options: {},
    run: async (keys, _options, positionals) =>
      keyOutput(await keys.setState(keyIdFrom(positionals), 'revoked')),
  },
  rotate: {
    synopsis: 'KEY_ID [--overlap-minutes N]',
    does: 'give the key a new secret and print it, this once; the old one is refused now or after N minutes',
    options: { 'overlap-minutes': text },
    run: async (keys, options, positionals) =>
      rotatedOutput(await keys.rotate(keyIdFrom(positionals), overlapMsFrom(options['overlap-minutes']))),
  },
  usage: {
    synopsis: '[KEY_ID] [--day YYYY-MM-DD]',
    does: 'count requests by key and UTC day',
    options: { day: text },
    async run(keys, { day }, positionals) {
      const keyId = positionals.length === 0 ? undefined : keyIdFrom(positionals);
      return usageOutput(await keys.usage({ keyId, day: dayFrom(day) }));
    },
  },
  export: {
    synopsis: '',
    does: 'print the whole store as JSON, to be imported into another; it holds hashes of keys, no keys',
    options: {},
    async run(keys, _options, positionals) {
      refusePositionals(positionals);
      const json = await keys.export();
      return { json, text: JSON.stringify(json, null, 2) };
    },
  },
  import: {
    synopsis: 'FILE',
    does: 'add all that another store exported, or nothing',
    options: {},
    async run(keys, _options, positionals) {
      const dump = readDump(positionals);
      await keys.import(dump);
      const imported = dump.keys.length;
      return { json: { imported }, text: `Imported ${imported} keys with their secrets and counts.` };
    },
  },
};

function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is one argument too many`);
}
