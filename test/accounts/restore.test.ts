import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/service-process.js';
import { HAS_POSTGRES, POSTGRES } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';

const OPERATIONS = readFileSync(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');

/** The command for a tool of PostgreSQL in a table of docs/operations.md. */
function documented(tool: string): string {
  return new RegExp(`\`(${tool} [^\`]+)\``).exec(OPERATIONS)![1]!;
}

test.skipIf(!HAS_POSTGRES)(
  'PostgreSQL restored by the commands of docs/operations.md fails no request of the replicas that run meanwhile',
  async () => {
    const url = await POSTGRES.create();
    const replicas = await Promise.all([openAccounts(url), openAccounts(url)]);
    const { keys } = replicas[0];
    const { key } = await keys.issue('mycel', 'Okanogan Seed');
    await Promise.all(Array.from({ length: 7 }, () => replicas[0].accounts.admit(key)));

    const options = { cwd: temporaryFolder(), env: { ...process.env, DATABASE_URL: url } };
    const run = (tool: string) => promisify(execFile)('sh', ['-c', documented(tool)], options);
    await run('pg_dump');
    await keys.issue('spore', 'issued after the backup');

    let isRestored = false;
    const call = async ({ accounts }: (typeof replicas)[number]) => {
      let requests = 0;
      for (; !isRestored; requests++) await accounts.admit(key);
      return requests;
    };
    const callers = replicas.flatMap((replica) => [call(replica), call(replica)]);
    await Promise.race([run('pg_restore'), ...callers]).finally(() => {
      isRestored = true;
    });
    for (const requests of await Promise.all(callers)) expect(requests).toBeGreaterThan(0);

    expect((await keys.list()).map(({ id }) => id)).toEqual([key.id]);
    const { remaining } = await replicas[1].accounts.admit(key);
    expect(remaining).toBeLessThan(10_000 - 7);
  },
);
