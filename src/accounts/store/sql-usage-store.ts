import type { Kysely } from 'kysely';
import type { DayUsage, QuotaClaim, QuotaGrant, UsageFilter, UsageStore } from './account-store.js';
import type { AccountsDatabase } from './schema.js';

/** The counts as queries for any SQL database with a kysely dialect. */
export class SqlUsageStore implements UsageStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  async claim({ keyId, day, requests, limit }: QuotaClaim): Promise<QuotaGrant> {
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
      .returning(['requests', 'last_granted'])
      .executeTakeFirst();
    // No row is returned if the day's limit was reached before: then nothing was written.
    return row === undefined
      ? { granted: 0, used: limit }
      : { granted: row.last_granted, used: row.requests };
  }

  async add(changes: readonly DayUsage[]): Promise<DayUsage[]> {
    const rows = await this.db
      .insertInto('daily_usage')
      .values(changes.map(({ keyId, day, requests }) => ({ key_id: keyId, day, requests, last_granted: 0 })))
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'day']).doUpdateSet((eb) => ({
          requests: eb('daily_usage.requests', '+', eb.ref('excluded.requests')),
        })),
      )
      .returning(['key_id', 'day', 'requests'])
      .execute();
    return rows.map(toDayUsage);
  }

  async list({ keyId, day }: UsageFilter): Promise<DayUsage[]> {
    let query = this.db.selectFrom('daily_usage').select(['key_id', 'day', 'requests']);
    if (keyId !== undefined) query = query.where('key_id', '=', keyId);
    if (day !== undefined) query = query.where('day', '=', day);
    const rows = await query.orderBy('day').orderBy('key_id').execute();
    return rows.map(toDayUsage);
  }
}

function toDayUsage(row: { key_id: string; day: string; requests: number }): DayUsage {
  return { keyId: row.key_id, day: row.day, requests: row.requests };
}
