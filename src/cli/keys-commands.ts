import type { ParseArgsConfig } from 'node:util';
import type { KeyAdministration } from '../accounts/key-administration.js';
import type { KeyState } from '../accounts/key-record.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { refusePositionals } from './command-line.js';
import { dayFrom, keyIdFrom, overlapMsFrom, ownerFrom, readDump, tierFrom } from './keys-arguments.js';
import {
  issuedOutput,
  keyOutput,
  keysOutput,
  type Output,
  rotatedOutput,
  usageOutput,
} from './keys-output.js';

/** A command of `keys`. */
export interface KeysCommand {
  readonly synopsis: string;
  readonly description: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** The result if the output could not be printed. */
  readonly ifUnprinted: string;
  /** @param print throws OutputError */
  run(
    keys: KeyAdministration,
    options: Readonly<Record<string, string | undefined>>,
    positionals: readonly string[],
    print: (output: Output) => void,
  ): Promise<void>;
}

const text = { type: 'string' } as const;

/** The commands by name. */
export const KEYS_COMMANDS: Readonly<Record<string, KeysCommand>> = {
  issue: {
    synopsis: `--tier ${TIER_NAMES.join('|')} --owner OWNER`,
    description: 'Issue a key and print it, only this once.',
    options: { tier: text, owner: text },
    ifUnprinted: 'nothing was issued',
    async run(keys, { tier, owner }, positionals, print) {
      refusePositionals(positionals);
      await keys.issue(tierFrom(tier), ownerFrom(owner), (issued) => print(issuedOutput(issued)));
    },
  },
  list: {
    synopsis: '',
    description: 'List all keys, oldest first.',
    options: {},
    ifUnprinted: 'the list is not complete',
    async run(keys, _options, positionals, print) {
      refusePositionals(positionals);
      print(keysOutput(await keys.list()));
    },
  },
  deactivate: {
    synopsis: 'KEY_ID',
    description: 'Refuse the key (403) until it is activated again.',
    ...stateChange('deactivated'),
  },
  activate: {
    synopsis: 'KEY_ID',
    description: 'Accept a deactivated key again.',
    ...stateChange('active'),
  },
  revoke: {
    synopsis: 'KEY_ID',
    description: 'Refuse the key (401) permanently.',
    ...stateChange('revoked'),
  },
  rotate: {
    synopsis: 'KEY_ID [--overlap-minutes N]',
    description:
      'Give the key a new secret and print it, only this once. The old secret is refused at once, or after N minutes.',
    options: { 'overlap-minutes': text },
    ifUnprinted: 'the old key stays valid',
    async run(keys, options, positionals, print) {
      const overlapMs = overlapMsFrom(options['overlap-minutes']);
      await keys.rotate(keyIdFrom(positionals), overlapMs, (rotated) => print(rotatedOutput(rotated)));
    },
  },
  usage: {
    synopsis: '[KEY_ID] [--day YYYY-MM-DD]',
    description: 'Show the number of requests by key and UTC day.',
    options: { day: text },
    ifUnprinted: 'the list is not complete',
    async run(keys, { day }, positionals, print) {
      const keyId = positionals.length === 0 ? undefined : keyIdFrom(positionals);
      print(usageOutput(await keys.usage({ keyId, day: dayFrom(day) })));
    },
  },
  export: {
    synopsis: '',
    description:
      'Print the whole store as JSON for import into another. It contains hashes of keys, not the keys.',
    options: {},
    ifUnprinted: 'the export is not complete',
    async run(keys, _options, positionals, print) {
      refusePositionals(positionals);
      const json = await keys.export();
      print({ json, lines: JSON.stringify(json, null, 2).split('\n') });
    },
  },
  import: {
    synopsis: 'FILE',
    description: 'Add everything that another store exported, or nothing.',
    options: {},
    ifUnprinted: 'everything was imported',
    async run(keys, _options, positionals, print) {
      const dump = readDump(positionals);
      await keys.import(dump);
      const imported = dump.keys.length;
      print({ json: { imported }, lines: [`Imported ${imported} keys with their secrets and counts.`] });
    },
  },
};

/** The common part of the commands that set the state of a key. */
function stateChange(state: KeyState): Pick<KeysCommand, 'options' | 'ifUnprinted' | 'run'> {
  return {
    options: {},
    ifUnprinted: `the key is ${state}`,
    run: async (keys, _options, positionals, print) =>
      print(keyOutput(await keys.setState(keyIdFrom(positionals), state))),
  };
}
