import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { BodyBudget } from '../../src/http/body/body-budget.js';
import { QUEUE_FULL } from '../../src/http/errors/common-errors.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';

const BUDGET_BYTES = 1000;

/** A request in progress, which ends with `close`. */
function openResponse(): { response: ServerResponse; close: () => void } {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  return { response, close: () => void response.emit('close') };
}

test('however keys take and give back, all together stay within the budget, and none keeps the next one from its first body', () => {
  const random = seededRandom(15);
  const budget = new BodyBudget(BUDGET_BYTES, QUEUE_FULL);
  const open: { key: string; bytes: number; close: () => void }[] = [];
  const takenBy = (key?: string) =>
    open.reduce((sum, body) => sum + (key === undefined || body.key === key ? body.bytes : 0), 0);
  const tryToTake = (key: string, bytes: number): boolean => {
    const { response, close } = openResponse();
    try {
      budget.take(bytes, key, response);
    } catch (error) {
      expect(error).toBe(QUEUE_FULL);
      return false;
    }
    open.push({ key, bytes, close });
    return true;
  };
  let refused = 0;
  for (let step = 0; step < amount({ short: 20_000, long: 1_000_000 }); step++) {
    if (random() < 0.4 && open.length > 0) open.splice(Math.floor(random() * open.length), 1)[0].close();
    else {
      const key = `key ${Math.floor(random() * 4)}`;
      const bytes = 1 + Math.floor(random() * 200);
      const isFirst = takenBy(key) === 0;
      const free = BUDGET_BYTES - takenBy();
      const isTaken = tryToTake(key, bytes);
      if (isFirst) expect(isTaken).toBe(bytes <= free);
      if (!isTaken) refused++;
    }
    expect(takenBy()).toBeLessThanOrEqual(BUDGET_BYTES);
  }
  expect(refused).toBeGreaterThan(100);
});

test('a key alone gets half of the budget and at most one body more, and another key then gets a body of that size', () => {
  for (const bytes of [1, 10, 30, 100, 250]) {
    const budget = new BodyBudget(BUDGET_BYTES, QUEUE_FULL);
    const take = (key: string) => budget.take(bytes, key, openResponse().response);
    let taken = 0;
    expect(() => {
      for (;;) {
        take('greedy');
        taken += bytes;
      }
    }).toThrow(QUEUE_FULL);
    expect(taken).toBeGreaterThanOrEqual(BUDGET_BYTES / 2 - bytes);
    expect(taken).toBeLessThanOrEqual(BUDGET_BYTES / 2 + bytes);
    take('other');
  }
});

test('one body is always accepted, be it larger than the budget', () => {
  const budget = new BodyBudget(BUDGET_BYTES, QUEUE_FULL);
  const first = openResponse();
  budget.take(2 * BUDGET_BYTES, 'a', first.response);
  expect(() => budget.take(1, 'b', openResponse().response)).toThrow(QUEUE_FULL);
  first.close();
  budget.take(2 * BUDGET_BYTES, 'b', openResponse().response);
});
