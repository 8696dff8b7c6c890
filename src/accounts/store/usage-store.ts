import type { Kysely } from 'kysely';
import type { AccountsDatabase } from './schema.js';

/** A key on a UTC day. */
export interface KeyDay {
  readonly keyId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export const keyDayName = ({ keyId, day }: KeyDay) => `${keyId} ${day}`;

/** Requests of one key on one UTC day. */
export interface DayUsage extends KeyDay {
  readonly requests: number;
}

/** Filters a listing of usage; absent members do not filter. */
export interface UsageFilter {
  readonly keyId?: string | undefined;
  readonly day?: string | undefined;
}

const DAY_USAGE = ['key_id as keyId', 'day', 'requests'] as const;

export class UsageStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  /**
   * Grants as many of a key's requests as its daily limit allows, in one atomic statement.
   * @returns how many are admitted, 0 to all, and the day's count including them
   */
  async claim(
    { keyId, day, requests }: DayUsage,
    limit: number,
  ): Promise<{ readonly granted: number; readonly used: number }> {
    const first = Math.min(requests, limit);
    const row = await this.db
      .insertInto('daily_usage')
      .values({ key_id: keyId, day, requests: first, last_granted: first })
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'day'])
          .doUpdateSet((eb) => {
            const used = eb.ref('daily_usage.requests');
            const left = eb(eb.val(limit), '-', used);
            const grant = eb.case().when(left, '<', requests).then(left).else(requests).end();
            return { requests: eb(used, '+', grant), last_granted: grant };
          })
          .where('daily_usage.requests', '<', limit),
      )
      .returning(['requests as used', 'last_granted as granted'])
      .executeTakeFirst();
    // No row is returned if the day's limit was reached before: then nothing was written.
    return row ?? { granted: 0, used: limit };
  }

  /**
   * Adds (or, negative, subtracts) requests regardless of the limit; the new counts in any order. No count falls below 0,
   * as that of a request would whose refund comes after a backup without it was restored.
   */
  add(changes: readonly DayUsage[]): Promise<DayUsage[]> {
    return this.db
      .insertInto('daily_usage')
      .values(
        changes.map(({ keyId, day, requests }) => ({
          key_id: keyId,
          day,
          requests: Math.max(0, requests),
          last_granted: requests, // for the update below, where `requests` is no longer the change
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'day']).doUpdateSet((eb) => {
          const sum = eb('daily_usage.requests', '+', eb.ref('excluded.last_granted'));
          return { requests: eb.case().when(sum, '<', 0).then(0).else(sum).end() };
        }),
      )
      .returning(DAY_USAGE)
      .execute();
  }

  /** The counts of keys on days, in their order. */
  async counts(wanted: readonly KeyDay[]): Promise<number[]> {
    const distinct = (values: readonly string[]) => [...new Set(values)];
    const rows = await this.db
      .selectFrom('daily_usage')
      .select(DAY_USAGE)
      .where('key_id', 'in', distinct(wanted.map(({ keyId }) => keyId)))
      .where('day', 'in', distinct(wanted.map(({ day }) => day)))
      .execute();
    const counts = new Map(rows.map((row) => [keyDayName(row), row.requests]));
    return wanted.map((each) => counts.get(keyDayName(each)) ?? 0);
  }

  /** Usage by key and day, oldest day first. */
  list({ keyId, day }: UsageFilter): Promise<DayUsage[]> {
    let query = this.db.selectFrom('daily_usage').select(DAY_USAGE);
    if (keyId !== undefined) query = query.where('key_id', '=', keyId);
    if (day !== undefined) query = query.where('day', '=', day);
    return query.orderBy('day').orderBy('key_id').execute();
  }
}
