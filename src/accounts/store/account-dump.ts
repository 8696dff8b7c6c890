import { z } from 'zod';
import { quote, shorten } from '../../output/printable.js';
import { isKeyId, isOwner, KEY_STATES, OWNER_RULE } from '../key-record.js';
import { TIER_NAMES } from '../tiers.js';

/** The last moment with a year of four digits, which every output can show. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/** More than a day can have, and far below the largest integer that JSON numbers hold exactly. */
const MAX_REQUESTS = 1_000_000_000_000;

const hash = text('64 lower-case hexadecimal digits', (value) => /^[0-9a-f]{64}$/.test(value));
const display = text('the start of a key as in nurse_live_ab12…', (value) =>
  /^nurse_live_[0-9a-f]{4}…$/.test(value),
);
const epochMs = wholeNumber(LAST_MS, 'a time in milliseconds since 1970, not after the year 9999');

/** One key with its secrets and counts. */
const keyDump = object({
  id: text('an id as in key_0123456789ab', isKeyId),
  tier: oneOf(TIER_NAMES),
  owner: text(OWNER_RULE, isOwner),
  state: oneOf(KEY_STATES),
  display,
  created_at_ms: epochMs,
  secrets: z.array(object({ hash, created_at_ms: epochMs, valid_until_ms: epochMs.nullable() })),
  usage: z.array(
    object({
      day: z.iso.date(must('a day of the calendar as in 2026-11-20')),
      requests: wholeNumber(MAX_REQUESTS, `a whole number from 0 to ${MAX_REQUESTS}`),
    }),
  ),
});

/** A whole store as JSON, for another database. It holds hashes of keys, never keys. */
export const accountDump = object({
  format: oneOf(['nurselog-accounts/1']),
  keys: z.array(keyDump),
}).superRefine(({ keys }, context) => {
  const ids = new Set<string>();
  const hashes = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const days = new Set<string>();
    const once = (seen: Set<string>, value: string, ...path: (string | number)[]) => {
      if (seen.has(value))
        context.addIssue({ code: 'custom', path: ['keys', index, ...path], message: `${value} is repeated` });
      seen.add(value);
    };
    once(ids, key.id, 'id');
    for (const [at, { hash }] of key.secrets.entries()) once(hashes, hash, 'secrets', at, 'hash');
    for (const [at, { day }] of key.usage.entries()) once(days, day, 'usage', at, 'day');
  }
});

export type AccountDump = z.output<typeof accountDump>;

/** One error message for everything that can be wrong with a value. */
function must(be: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? `must be ${be}` : `must be ${be}, not ${shown(input)}`,
  };
}

function shown(input: unknown): string {
  return typeof input === 'string' ? quote(input) : shorten(JSON.stringify(input));
}

function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `must not have ${quote(issue.keys[0])}` : undefined,
  });
}

function text(be: string, isRight: (value: string) => boolean) {
  return z.string(must(be)).refine(isRight, must(be));
}

function wholeNumber(max: number, be: string) {
  return z.int(must(be)).min(0, must(be)).max(max, must(be));
}

function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, must(values.join(' or ')));
}
