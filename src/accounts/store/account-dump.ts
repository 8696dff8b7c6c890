import { z } from 'zod';
import type { KeyState } from '../key-state.js';
import { TIER_NAMES, type Tier } from '../tiers.js';

const epochMs = z.int().nonnegative();

/** One key with all that belongs to it. */
const keyDump = z.strictObject({
  id: z.string().regex(/^key_[0-9a-f]{12}$/),
  tier: z.enum(TIER_NAMES as [Tier, ...Tier[]]),
  owner: z.string(),
  state: z.enum(['active', 'deactivated', 'revoked'] satisfies KeyState[]),
  display: z.string(),
  created_at_ms: epochMs,
  secrets: z.array(
    z.strictObject({
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      created_at_ms: epochMs,
      valid_until_ms: epochMs.nullable(),
    }),
  ),
  usage: z.array(
    z.strictObject({ day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/), requests: z.int().nonnegative() }),
  ),
});

/** A whole store as JSON, to be moved to another database. It holds hashes of keys, never keys. */
export const accountDump = z.strictObject({
  format: z.literal('nurselog-accounts/1'),
  keys: z.array(keyDump),
});

export type AccountDump = z.output<typeof accountDump>;
