import type { KeyRecord } from '../key-record.js';

/** The tables, the same in SQLite and PostgreSQL. */
export interface AccountsDatabase {
  api_keys: Omit<KeyRecord, 'createdAtMs'> & { created_at_ms: number };
  key_secrets: {
    /** SHA-256 of the key, hexadecimal. */
    hash: string;
    key_id: string;
    created_at_ms: number;
    /** Null for the current secret of a key. */
    valid_until_ms: number | null;
  };
  daily_usage: {
    key_id: string;
    /** `YYYY-MM-DD`, UTC. */
    day: string;
    requests: number;
    /** Requests granted by the last claim: its statement reads the grant from its own RETURNING. */
    last_granted: number;
  };
  /** At most one row: whoever inserts it may issue the first key. */
  first_key: { singleton: 1 };
  /** At most one row: written to test whether the store takes writes. */
  write_checks: { singleton: 1; checks: number };
}
