import { randomBytes } from 'node:crypto';
import { displayForm } from '../output/printable.js';
import { generateKey, hashKey, type KeyRecord, type KeyState } from './api-key.js';
import type { Clock } from './clock.js';
import type { AccountDump } from './store/account-dump.js';
import type { AccountStore } from './store/account-store.js';
import { isConstraintViolation } from './store/store-errors.js';
import type { DayUsage, UsageFilter } from './store/usage-store.js';
import type { Tier } from './tiers.js';

/** A key with its secret: the only time the secret can be shown. */
export interface IssuedKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

/** A rotated key, and until when the old secret is accepted. */
export interface RotatedKey extends IssuedKey {
  /** Epoch milliseconds; `null` if the old secret is refused from now on. */
  readonly oldSecretValidUntilMs: number | null;
}

/** Shows a secret to its owner. Called before the change is committed: if it throws, nothing is changed. */
export type Show<Issued extends IssuedKey> = (issued: Issued) => void;

/**
 * Issues and changes keys for operators. Every running service applies a change within 5 seconds. What concerns a key that is
 * unknown, already known or revoked rejects with an error whose message names it and says what to do.
 */
export class KeyAdministration {
  constructor(
    private readonly store: AccountStore,
    private readonly clock: Clock,
  ) {}

  /** Issues an active key. Rejects with what `show` throws. */
  async issue(tier: Tier, owner: string, show: Show<IssuedKey> = () => {}): Promise<IssuedKey> {
    const issued = this.#newKey(tier, owner);
    await this.store.keys.insert(issued.key, hashKey(issued.secret), false, () => show(issued));
    return issued;
  }

  /** The same if an embedded store holds no key; of several processes at once only one issues it. @returns whether it did */
  issueFirst(tier: Tier, owner: string, show: Show<IssuedKey> = () => {}): Promise<boolean> {
    const issued = this.#newKey(tier, owner);
    return this.store.keys.insert(issued.key, hashKey(issued.secret), true, () => show(issued));
  }

  /** Whether the store has any key, in whatever state. */
  hasKeys(): Promise<boolean> {
    return this.store.keys.hasAny();
  }

  /** All keys, oldest first. */
  list(): Promise<KeyRecord[]> {
    return this.store.keys.list();
  }

  /** Sets the state of a key; a key already in that state is unchanged. */
  async setState(keyId: string, state: KeyState): Promise<KeyRecord> {
    return (await this.store.keys.setState(keyId, state)) ?? this.#refuse(keyId);
  }

  /**
   * Gives a key a new secret. Its tier, owner, state and the day's count are kept; older secrets are refused at once, or
   * after `overlapMs`. Rejects with what `show` throws, too.
   */
  async rotate(keyId: string, overlapMs: number, show: Show<RotatedKey> = () => {}): Promise<RotatedKey> {
    const nowMs = this.clock.nowMs();
    const secret = generateKey();
    const stored = { hash: hashKey(secret), display: displayForm(secret), createdAtMs: nowMs };
    const oldValidUntilMs = nowMs + overlapMs;
    const oldSecretValidUntilMs = overlapMs > 0 ? oldValidUntilMs : null;
    const key = await this.store.keys.replaceSecret(keyId, stored, oldValidUntilMs, (key) =>
      show({ key, secret, oldSecretValidUntilMs }),
    );
    return key === undefined ? this.#refuse(keyId) : { key, secret, oldSecretValidUntilMs };
  }

  /** Requests by key and day, oldest day first. */
  async usage(filter: UsageFilter): Promise<DayUsage[]> {
    if (filter.keyId !== undefined && (await this.store.keys.find(filter.keyId)) === undefined) {
      return this.#refuse(filter.keyId);
    }
    return this.store.usage.list(filter);
  }

  /** The whole store, for import into another. */
  export(): Promise<AccountDump> {
    return this.store.dump.read();
  }

  /** Adds everything that another store exported, or nothing. */
  async import(dump: AccountDump): Promise<void> {
    try {
      await this.store.dump.write(dump);
    } catch (error) {
      if (!isConstraintViolation(error)) throw error;
      throw new Error(
        'the store already has keys or secrets of the file; nothing was imported: use an empty store',
        { cause: error },
      );
    }
  }

  #newKey(tier: Tier, owner: string): IssuedKey {
    const createdAtMs = this.clock.nowMs();
    const secret = generateKey();
    const id = `key_${randomBytes(6).toString('hex')}`;
    return { key: { id, tier, owner, state: 'active', display: displayForm(secret), createdAtMs }, secret };
  }

  async #refuse(keyId: string): Promise<never> {
    const isKnown = (await this.store.keys.find(keyId)) !== undefined;
    throw new Error(
      isKnown
        ? `key ${keyId} is revoked, which is final; issue a new key to its owner instead`
        : `there is no key ${keyId}; "keys list" shows the ids of all keys`,
    );
  }
}
