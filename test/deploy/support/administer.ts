import { openStore } from '../../../src/accounts/store/account-store.js';
import { type IssuedKey, KeyAdministration } from '../../../src/accounts/store/key-administration.js';
import type { Tier } from '../../../src/accounts/tiers.js';

/** Administers keys over a store of its own, as the `keys` command does. */
export async function administer<Result>(
  databaseUrl: string,
  work: (keys: KeyAdministration) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(databaseUrl);
  return work(new KeyAdministration(store, Date.now)).finally(() => store.close());
}

export function issueKey(databaseUrl: string, tier: Tier): Promise<IssuedKey> {
  return administer(databaseUrl, (keys) => keys.issue(tier, 'a test'));
}
