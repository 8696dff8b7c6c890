import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Tier } from '../../../src/accounts/tiers.js';

const KEYS_COMMAND = path.join(import.meta.dirname, '../../../dist/cli/keys.js');

export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** What an operator does with keys while the service runs: the command, in processes of its own. */
export class KeysCommand {
  readonly #environment: NodeJS.ProcessEnv;

  constructor(databaseUrl: string) {
    this.#environment = { DATABASE_URL: databaseUrl };
  }

  /** Runs a command; rejects with its exit code and what it wrote if it fails. */
  async run(...arguments_: string[]): Promise<unknown> {
    const command = [KEYS_COMMAND, ...arguments_, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: this.#environment });
    return JSON.parse(stdout);
  }

  /** Issues a key, by default of a limited tier. */
  async issue(tier: Tier = 'mycel'): Promise<IssuedKey> {
    return (await this.run('issue', '--tier', tier, '--owner', 'Ada')) as IssuedKey;
  }

  /** Requests that were counted, by key id, summed over the days: a test may run over midnight UTC. */
  async usage(): Promise<Map<string, number>> {
    const rows = (await this.run('usage')) as { id: string; requests: number }[];
    const sums = new Map<string, number>();
    for (const { id, requests } of rows) sums.set(id, (sums.get(id) ?? 0) + requests);
    return sums;
  }
}
