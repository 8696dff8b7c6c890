import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Accounts, type Admission } from '../../src/accounts/accounts.js';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { forAllAsync } from '../support/for-all.js';
import { AccountsOracle } from './support/accounts-oracle.js';
import { DATABASES } from './support/databases.js';
import { SettableClock } from './support/settable-clock.js';

/** After an operator's change: long enough for every replica to have seen it. */
const IN_FORCE_MS = 4000;
const MINUTE_MS = 60_000;

type Step =
  | { do: 'issue'; tier: 'spore' | 'mycel' | 'hypha' }
  | { do: 'setState'; key: number; state: 'active' | 'deactivated' | 'revoked' }
  | { do: 'rotate'; key: number; overlapMinutes: number }
  | { do: 'wait'; minutes: number }
  | { do: 'request'; secret: number; times: number; replica: number }
  | { do: 'refund'; admission: number };

const index = fc.nat(999);
const replica = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('issue'), tier: fc.constantFrom('spore', 'mycel', 'hypha') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('setState'),
      key: index,
      state: fc.constantFrom('active', 'active', 'deactivated', 'revoked'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('rotate'),
      key: index,
      overlapMinutes: fc.constantFrom(0, 0, 5, 60),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.constantFrom(1, 5, 60, 600) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('request'),
      secret: index,
      times: fc.integer({ min: 1, max: 70 }),
      replica,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund'), admission: index }) },
) as fc.Arbitrary<Step>;
const steps = fc.array(step, { minLength: 10, maxLength: 60 });

describe.each(DATABASES)('on $name', (database) => {
  test('two replicas answer any sequence of issues, changes, rotations, requests, refunds and waits as a plain model does', async () => {
    await forAllAsync({ short: 6, long: 200 }, [steps], async (steps) => {
      await checkSteps(await database.create(), [{ do: 'issue', tier: 'spore' }, ...steps]);
    });
  });
});

async function checkSteps(url: string, steps: readonly Step[]): Promise<void> {
  const clock = new SettableClock('2026-11-20T22:00:00Z');
  const store = await openStore(url);
  const operator = new KeyAdministration(store, clock.nowMs);
  const fail = (error: unknown) => {
    throw error;
  };
  const replicas = [
    new Accounts(await openStore(url), clock.nowMs, fail),
    new Accounts(await openStore(url), clock.nowMs, fail),
  ];
  const oracle = new AccountsOracle(clock.nowMs);
  const admissions: { admission: Admission; accounts: Accounts }[] = [];

  const carryOut = async (step: Step) => {
    switch (step.do) {
      case 'issue': {
        const { key, secret } = await operator.issue(step.tier, 'Owner');
        oracle.issue(key.id, step.tier, secret);
        return;
      }
      case 'setState': {
        const id = pick(oracle.ids, step.key);
        const outcome = await operator.setState(id, step.state).then(
          ({ state }) => state,
          ({ message }) => (message.includes('is revoked') ? 'revoked_key' : message),
        );
        expect(outcome).toBe(oracle.setState(id, step.state));
        clock.advanceMs(IN_FORCE_MS);
        return;
      }
      case 'rotate': {
        const id = pick(oracle.ids, step.key);
        const overlapMs = step.overlapMinutes * MINUTE_MS;
        const secret = await operator.rotate(id, overlapMs).then(
          (rotated) => rotated.secret,
          () => null,
        );
        oracle.rotate(id, secret, overlapMs);
        clock.advanceMs(IN_FORCE_MS);
        return;
      }
      case 'wait':
        clock.advanceMs(step.minutes * MINUTE_MS);
        return;
      case 'request': {
        const secret = pick(oracle.secrets, step.secret);
        const accounts = replicas[step.replica];
        const key = await accounts.authenticate(secret);
        expect(key?.state).toBe(oracle.authenticate(secret));
        if (key?.state !== 'active') return;
        const answers = await Promise.all(Array.from({ length: step.times }, () => accounts.admit(key)));
        for (const answer of answers) {
          expect(answer).toMatchObject(oracle.admit(key.id));
          if (answer.admitted) admissions.push({ admission: answer, accounts });
        }
        return;
      }
      case 'refund': {
        if (admissions.length === 0) return;
        const [{ admission, accounts }] = admissions.splice(step.admission % admissions.length, 1);
        const { remaining } = await accounts.refund(admission);
        expect(remaining).toBe(oracle.refund(admission));
      }
    }
  };
  try {
    for (const step of steps) await carryOut(step);
    for (const accounts of replicas) await accounts.flush();
    const counted = (await operator.usage({})).filter(({ requests }) => requests !== 0);
    expect(new Set(counted)).toEqual(new Set(oracle.usage()));
  } finally {
    for (const accounts of replicas) await accounts.close();
    await store.close();
  }
}

function pick<Item>(items: readonly Item[], position: number): Item {
  return items[position % items.length];
}
