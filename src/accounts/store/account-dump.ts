import { z } from 'zod';
import { isOwner, KEY_ID, KEY_STATES, OWNER_RULE } from '../api-key.js';
import { TIER_NAMES } from '../tiers.js';
import { type AccountStore, chunks } from './account-store.js';
import { isConstraintViolation } from './store-errors.js';

/** The last moment with a year of four digits, which every output can show. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/** More than a day can have, and far below the largest integer that JSON numbers hold exactly. */
const MAX_REQUESTS = 1_000_000_000_000;

export const tier = z.enum(TIER_NAMES, must(`one of ${TIER_NAMES.join(', ')}`));

const epochMs = wholeNumber(LAST_MS, 'a time in milliseconds since 1970, not after the year 9999');

const keyDump = z.strictObject({
  id: text('an id as in key_0123456789ab', KEY_ID),
  tier,
  owner: z.string(must(OWNER_RULE)).refine(isOwner, must(OWNER_RULE)),
  state: z.enum(KEY_STATES, must(`one of ${KEY_STATES.join(', ')}`)),
  display: text('the start of a key as in nurse_live_ab12…', /^nurse_live_[0-9a-f]{4}…$/),
  created_at_ms: epochMs,
  secrets: z.array(
    z.strictObject({
      hash: text('64 lower-case hexadecimal digits', /^[0-9a-f]{64}$/),
      created_at_ms: epochMs,
      valid_until_ms: epochMs.nullable(),
    }),
  ),
  usage: z.array(
    z.strictObject({
      day: z.iso.date(must('a day of the calendar as in 2026-11-20')),
      requests: wholeNumber(MAX_REQUESTS, `a whole number from 0 to ${MAX_REQUESTS}`),
    }),
  ),
});

/** A whole store as JSON, for another database. It holds hashes of keys, never keys. */
export const accountDump = z.strictObject({
  format: z.literal('nurselog-accounts/1'),
  keys: z.array(keyDump),
});

export type AccountDump = z.output<typeof accountDump>;

/** The error message of a schema. */
export function must(be: string) {
  return { error: `must be ${be}` };
}

function text(be: string, format: RegExp) {
  return z.string(must(be)).regex(format, must(be));
}

function wholeNumber(max: number, be: string) {
  return z.int(must(be)).min(0, must(be)).max(max, must(be));
}

/** All keys, secrets and counts, as of one moment. */
export async function readDump({ db }: AccountStore): Promise<AccountDump> {
  const { keys, secrets, usage } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => ({
      keys: await trx.selectFrom('api_keys').selectAll().orderBy('created_at_ms').orderBy('id').execute(),
      secrets: await trx.selectFrom('key_secrets').selectAll().orderBy('created_at_ms').execute(),
      usage: await trx.selectFrom('daily_usage').selectAll().orderBy('day').execute(),
    }));
  const dumps = new Map<string, AccountDump['keys'][number]>();
  for (const key of keys) dumps.set(key.id, { ...key, secrets: [], usage: [] });
  for (const { key_id, ...secret } of secrets) dumps.get(key_id)?.secrets.push(secret);
  for (const { key_id, day, requests } of usage) dumps.get(key_id)?.usage.push({ day, requests });
  return { format: 'nurselog-accounts/1', keys: [...dumps.values()] };
}

/** Adds a whole dump, or nothing: rejects if the store has some of its keys or secrets. */
export async function writeDump({ db }: AccountStore, { keys }: AccountDump): Promise<void> {
  const records = keys.map(({ secrets, usage, ...key }) => key);
  const secrets = keys.flatMap(({ id, secrets }) => secrets.map((each) => ({ ...each, key_id: id })));
  const usage = keys.flatMap(({ id, usage }) =>
    usage.map((each) => ({ ...each, key_id: id, last_granted: 0 })),
  );
  const write = db.transaction().execute(async (trx) => {
    for (const rows of chunks(records)) await trx.insertInto('api_keys').values(rows).execute();
    for (const rows of chunks(secrets)) await trx.insertInto('key_secrets').values(rows).execute();
    for (const rows of chunks(usage)) await trx.insertInto('daily_usage').values(rows).execute();
  });
  await write.catch((cause: unknown) => {
    if (!isConstraintViolation(cause)) throw cause;
    const reason = 'the store already has keys or secrets of the file, or the file has one twice';
    throw new Error(`${reason}; nothing was imported: use an empty store`, { cause });
  });
}
