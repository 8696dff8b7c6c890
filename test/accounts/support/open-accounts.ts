import { onTestFinished } from 'vitest';
import { Accounts } from '../../../src/accounts/accounts.js';
import { openStore } from '../../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../../src/accounts/store/key-administration.js';
import { SettableClock } from './settable-clock.js';

/** Opens accounts as one replica would, with the operator's view, until the running test is over. */
export async function openAccounts(databaseUrl: string, clock = new SettableClock('2026-11-20T12:00:00Z')) {
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
