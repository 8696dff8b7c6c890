import { onTestFinished } from 'vitest';
import { Accounts } from '../../../src/accounts/accounts.js';
import type { AccountStore } from '../../../src/accounts/store/account-store.js';
import { openStore } from '../../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../../src/accounts/store/key-administration.js';
import { SettableClock } from './settable-clock.js';

/** One service's accounts, with the operator's view and the clock of both. */
export interface Opened {
  readonly accounts: Accounts;
  readonly keys: KeyAdministration;
  readonly store: AccountStore;
  readonly clock: SettableClock;
}

/** Opens accounts as one replica would, and closes them when the running test is over. */
export async function openAccounts(
  databaseUrl: string,
  clock = new SettableClock('2026-11-20T12:00:00Z'),
): Promise<Opened> {
  const store = await openStore(databaseUrl);
  const accounts = new Accounts(store, clock.nowMs, (error) => {
    throw error;
  });
  onTestFinished(() => accounts.close());
  return { accounts, keys: new KeyAdministration(store, clock.nowMs), store, clock };
}

/** The caller that a key's secret authenticates. */
export async function callerOf(accounts: Accounts, secret: string) {
  const key = await accounts.authenticate(secret);
  if (key?.state !== 'active') throw new Error(`the key is ${key?.state ?? 'invalid'}`);
  return key;
}
