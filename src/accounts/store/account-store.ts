import type { KeyState } from '../key-state.js';
import type { Tier } from '../tiers.js';
import type { AccountDump } from './account-dump.js';

/** A key as the store knows it: never the secret itself. */
export interface KeyRecord {
  /** `key_` and 12 hexadecimal digits. */
  readonly id: string;
  readonly tier: Tier;
  readonly owner: string;
  readonly state: KeyState;
  /** The start of the current secret, as in `nurse_live_ab12…`. */
  readonly display: string;
  readonly createdAtMs: number;
}

/** A secret as it is stored. */
export interface StoredSecret {
  /** SHA-256 of the whole key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly display: string;
  readonly createdAtMs: number;
}

/** The key that a secret's hash belongs to. */
export interface SecretMatch {
  readonly hash: string;
  /** The moment from which a rotated secret is no longer valid; `null` for the current one. */
  readonly validUntilMs: number | null;
  readonly key: KeyRecord;
}

/** Requests of one key on one UTC day. */
export interface DayUsage {
  readonly keyId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly requests: number;
}

/** Requests to be admitted together under one key's daily limit. */
export interface QuotaClaim extends DayUsage {
  /** Requests allowed on the day. */
  readonly limit: number;
}

/** The result of a claim. */
export interface QuotaGrant {
  /** How many of the claim's requests are admitted, 0 to all. */
  readonly granted: number;
  /** The day's count including them. */
  readonly used: number;
}

/** Filters a listing of usage; absent members do not filter. */
export interface UsageFilter {
  readonly keyId?: string | undefined;
  readonly day?: string | undefined;
}

/** The keys and their secrets. If `beforeCommit` throws, the change is rolled back and the method rejects with that error. */
export interface KeyStore {
  /** Adds a key with its first secret. */
  insert(key: KeyRecord, secretHash: string, beforeCommit: () => void): Promise<void>;

  /** Adds a key only if the store holds none; of several callers at once one succeeds. @returns whether it was added */
  insertIfNone(key: KeyRecord, secretHash: string, beforeCommit: () => void): Promise<boolean>;

  /** The matches among some hashes, in any order; unknown hashes are left out. */
  findSecrets(hashes: readonly string[]): Promise<SecretMatch[]>;

  find(keyId: string): Promise<KeyRecord | undefined>;

  hasAny(): Promise<boolean>;

  /** All keys, oldest first. */
  list(): Promise<KeyRecord[]>;

  /** Sets the state of a key that is in one of `from`; the changed record, or nothing if there was none to change. */
  setState(keyId: string, to: KeyState, from: readonly KeyState[]): Promise<KeyRecord | undefined>;

  /**
   * Gives a key that is not revoked a new secret; earlier ones stay valid no longer than to `oldValidUntilMs`.
   * The changed record, or nothing if there was none to change.
   */
  replaceSecret(
    keyId: string,
    next: StoredSecret,
    oldValidUntilMs: number,
    beforeCommit: (key: KeyRecord) => void,
  ): Promise<KeyRecord | undefined>;
}

/** The requests of every key on every day. */
export interface UsageStore {
  /** Grants as much of a claim as the limit allows, in one atomic statement. */
  claim(claim: QuotaClaim): Promise<QuotaGrant>;

  /** Adds (or, negative, subtracts) requests regardless of the limit; the new counts in any order. */
  add(changes: readonly DayUsage[]): Promise<DayUsage[]>;

  /** Usage by key and day, oldest day first. */
  list(filter: UsageFilter): Promise<DayUsage[]>;
}

/** Export and import of a whole store. */
export interface DumpStore {
  /** All keys, secrets and counts, as of one moment. */
  read(): Promise<AccountDump>;

  /** Adds a whole dump or, if the store has some of its keys or their secrets, nothing; the ids of those. */
  write(dump: AccountDump): Promise<string[]>;
}

/**
 * Storage of keys and counts. Every method rejects with `StoreUnavailableError` within a fixed deadline if the database
 * cannot do its work now.
 */
export interface AccountStore {
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly dump: DumpStore;

  /** Resolves if the database takes writes: one that is full or read-only still answers queries. */
  checkWrites(): Promise<void>;

  close(): Promise<void>;
}
