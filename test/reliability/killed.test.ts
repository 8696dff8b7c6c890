import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/length.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { tell } from './support/figures.js';
import { KeysCommand } from './support/keys-command.js';

const CALLERS = 8;
const ROUNDS = rounds({ short: 3, long: 100 });

/** Calls under a key until the service is gone: how often it sent, and how often it was answered. */
class Caller {
  sent = 0;
  answered = 0;

  async callUntilGone(api: string, key: string): Promise<void> {
    for (;;) {
      this.sent++;
      try {
        const response = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
        expect(response.status).toBe(200);
        await response.arrayBuffer();
        this.answered++;
      } catch (error) {
        if (error instanceof TypeError) return; // what fetch rejects with when a connection fails
        throw error;
      }
    }
  }
}

const sumOf = (callers: readonly Caller[], count: 'sent' | 'answered') =>
  callers.reduce((sum, caller) => sum + caller[count], 0);

test(
  `after SIGKILL under load, ${ROUNDS.length} times, the store opens, no issued key is lost and no answered request is uncounted`,
  async () => {
    const DATABASE_URL = `sqlite:${path.join(temporaryFolder(), 'keys.db')}`;
    const keys = new KeysCommand(DATABASE_URL);
    const used = new Map<string, Caller[]>();
    let issued = [await keys.issue()];
    let callable = issued[0];
    for (const round of ROUNDS) {
      const service = new ServiceProcess({ DATABASE_URL });
      const { api } = await service.ready();
      for (const { key } of issued.slice(-2))
        expect((await fetch(`${api}/v1/coverage`, { headers: { 'x-api-key': key } })).status).toBe(200);
      const callers = Array.from({ length: CALLERS }, () => new Caller());
      const calling = callers.map((caller) => caller.callUntilGone(api, callable.key));
      // Keys are issued while the service is killed: before, in the midst of it, and after.
      const issuing = Promise.all([keys.issue(), keys.issue()]);
      // Another moment in every round.
      const answeredBefore = 20 * CALLERS + ((round * 37) % 500);
      await eventually(() => expect(sumOf(callers, 'answered')).toBeGreaterThan(answeredBefore));
      service.signal('SIGKILL');
      await Promise.all(calling);
      used.set(callable.id, callers);
      const more = await issuing;
      issued = [...issued, ...more];
      callable = more[0];
    }

    const service = new ServiceProcess({ DATABASE_URL });
    const { api } = await service.ready();
    const statuses = await Promise.all(
      issued.map(
        async ({ key }) => (await fetch(`${api}/v1/coverage`, { headers: { 'x-api-key': key } })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const usage = await keys.usage();
    let answeredInAll = 0;
    for (const [id, callers] of used) {
      const counted = usage.get(id)!;
      const others = 2; // the calls above that tried the key, before and after
      expect(counted).toBeGreaterThanOrEqual(sumOf(callers, 'answered'));
      expect(counted).toBeLessThanOrEqual(sumOf(callers, 'sent') + others);
      answeredInAll += sumOf(callers, 'answered');
    }
    tell('kill -9', {
      kills: ROUNDS.length,
      'keys issued': issued.length,
      'requests answered': answeredInAll,
    });
  },
  60_000 + 5000 * ROUNDS.length,
);
