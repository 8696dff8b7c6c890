import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { KeyTurns } from '../../src/work/serving/key-turns.js';

/** What the turns need of a reply: the time since its request arrived. */
const REPLY = { elapsedTime: 0 } as FastifyReply;

/** A promise and what resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('of 20 requests of a key two are at work at a time, in the order of their arrival; the 21st is refused', async () => {
  const turns = new KeyTurns(20_000, 60_000);
  const { opened, open } = gate();
  const begun: number[] = [];
  let atWork = 0;
  let mostAtWork = 0;
  const runs = Array.from({ length: 20 }, (_, request) =>
    turns.run('a key', REPLY, async () => {
      begun.push(request);
      mostAtWork = Math.max(mostAtWork, ++atWork);
      await opened;
      atWork--;
      return request;
    }),
  );
  const refusal = { status: 503, error: { code: 'overloaded' } };
  await expect(turns.run('a key', REPLY, async () => {})).rejects.toMatchObject(refusal);
  expect(() => turns.check('a key')).toThrow('Too many plans and surfaces');
  expect(await turns.run('another key', REPLY, async () => 'done')).toBe('done');
  open();
  const requests = Array.from({ length: 20 }, (_, request) => request);
  expect(await Promise.all(runs)).toEqual(requests);
  expect(mostAtWork).toBe(2);
  expect(begun).toEqual(requests);
  turns.check('a key');
});

test('a request whose time is over while it waits is answered then, and never begun', async () => {
  const turns = new KeyTurns(20_000, 50);
  const { opened, open } = gate();
  const working = [1, 2].map(() => turns.run('a key', REPLY, () => opened).catch(() => {})); // over, too
  let begun = 0;
  const waiting = turns.run('a key', REPLY, async () => begun++);
  await expect(waiting).rejects.toThrow('The request timed out after 50 ms');
  open();
  await Promise.all(working);
  expect(await turns.run('a key', REPLY, async () => 'next')).toBe('next');
  expect(begun).toBe(0);
});

test('work that fails gives its turn up', async () => {
  const turns = new KeyTurns(20_000, 60_000);
  for (let request = 0; request < 30; request++)
    await expect(turns.run('a key', REPLY, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
});
