import type { KeyState } from '../key-state.js';
import type { Tier } from '../tiers.js';

export interface ApiKeysTable {
  id: string;
  tier: Tier;
  owner: string;
  state: KeyState;
  display: string;
  created_at_ms: number;
}

export interface KeySecretsTable {
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  key_id: string;
  created_at_ms: number;
  /** Null for the current secret of a key. */
  valid_until_ms: number | null;
}

export interface DailyUsageTable {
  key_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  requests: number;
  /** Requests granted by the last claim: its statement reads the grant from its own RETURNING. */
  last_granted: number;
}

/** At most one row: whoever inserts it may issue the first key. */
export interface FirstKeyTable {
  singleton: 1;
}

/** At most one row: written to test whether the store takes writes. */
export interface WriteChecksTable {
  singleton: 1;
  checks: number;
}

/** The tables, the same in SQLite and PostgreSQL. */
export interface AccountsDatabase {
  api_keys: ApiKeysTable;
  key_secrets: KeySecretsTable;
  daily_usage: DailyUsageTable;
  first_key: FirstKeyTable;
  write_checks: WriteChecksTable;
}
