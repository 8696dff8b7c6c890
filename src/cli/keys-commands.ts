import type { ParseArgsConfig } from 'node:util';
import type { KeyAdministration } from '../accounts/key-administration.js';
import type { KeyState } from '../accounts/key-state.js';
import { TIER_NAMES } from '../accounts/tiers.js';
import { quote } from '../output/printable.js';
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
  /** What holds where it could not print its output. */
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
    does: 'issue a key and print it, this once',
    options: { tier: text, owner: text },
    ifUnprinted: 'nothing was issued',
    async run(keys, { tier, owner }, positionals, print) {
      refusePositionals(positionals);
      await keys.issue(tierFrom(tier), ownerFrom(owner), (issued) => print(issuedOutput(issued)));
    },
  },
  list: {
    synopsis: '',
    does: 'list all keys, oldest first',
    options: {},
    ifUnprinted: 'the list is not complete',
    async run(keys, _options, positionals, print) {
      refusePositionals(positionals);
      print(keysOutput(await keys.list()));
    },
  },
  deactivate: {
    synopsis: 'KEY_ID',
    does: 'refuse the key (403) until it is activated again',
    ...changeOfState('deactivated'),
  },
  activate: {
    synopsis: 'KEY_ID',
    does: 'accept a deactivated key again',
    ...changeOfState('active'),
  },
  revoke: {
    synopsis: 'KEY_ID',
    does: 'refuse the key (401) for ever',
    ...changeOfState('revoked'),
  },
  rotate: {
    synopsis: 'KEY_ID [--overlap-minutes N]',
    does: 'give the key a new secret and print it, this once; the old one is refused now or after N minutes',
    options: { 'overlap-minutes': text },
    ifUnprinted: 'the old key stays valid',
    async run(keys, options, positionals, print) {
      const overlapMs = overlapMsFrom(options['overlap-minutes']);
      await keys.rotate(keyIdFrom(positionals), overlapMs, (rotated) => print(rotatedOutput(rotated)));
    },
  },
  usage: {
    synopsis: '[KEY_ID] [--day YYYY-MM-DD]',
    does: 'count requests by key and UTC day',
    options: { day: text },
    ifUnprinted: 'the list is not complete',
    async run(keys, { day }, positionals, print) {
      const keyId = positionals.length === 0 ? undefined : keyIdFrom(positionals);
      print(usageOutput(await keys.usage({ keyId, day: dayFrom(day) })));
    },
  },
  export: {
    synopsis: '',
    does: 'print the whole store as JSON, to be imported into another; it holds hashes of keys, no keys',
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
    does: 'add all that another store exported, or nothing',
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

/** What the commands have in common that put a key into a state. */
function changeOfState(state: KeyState): Pick<KeysCommand, 'options' | 'ifUnprinted' | 'run'> {
  return {
    options: {},
    ifUnprinted: `the key is ${state}`,
    run: async (keys, _options, positionals, print) =>
      print(keyOutput(await keys.setState(keyIdFrom(positionals), state))),
  };
}

function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`${quote(positionals[0])} is one argument too many`);
}
