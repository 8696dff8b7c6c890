import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { KeyTurns } from '../../src/http/serving/key-turns.js';
import { eventually } from '../support/eventually.js';

/** One request of a key is at work, three may wait. */
const QUEUE_LIMIT_SITES = 1000;
const PLACES = 4;
const TIMEOUT_MS = 50;

/** What the turns need of a reply: a response of Node's, and the time since its request arrived. */
function newReply(): FastifyReply {
  const raw = new ServerResponse(new IncomingMessage(new Socket()));
  return { raw, elapsedTime: 0 } as FastifyReply;
}

/** A reply whose request was admitted. */
function admitted(turns: KeyTurns): FastifyReply {
  const reply = newReply();
  turns.admit('a key', reply);
  return reply;
}

const isFull = (turns: KeyTurns) => {
  try {
    turns.admit('a key', newReply());
    return false;
  } catch (error) {
    expect(error).toMatchObject({ status: 503, error: { code: 'overloaded' } });
    return true;
  }
};

test('a request whose time is over while it waits is answered then, never begun, and keeps its place until its turn', async () => {
  const turns = new KeyTurns(QUEUE_LIMIT_SITES, TIMEOUT_MS);
  let end = () => {};
  const working = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = turns.run('a key', admitted(turns), () => working);
  first.catch(() => {}); // its time is over, too
  let begun = 0;
  const waiting = turns.run('a key', admitted(turns), async () => {
    begun++;
  });
  await expect(waiting).rejects.toThrow(`The request timed out after ${TIMEOUT_MS} ms`);
  for (let place = 2; place < PLACES; place++) expect(isFull(turns)).toBe(false);
  expect(isFull(turns)).toBe(true);
  end();
  await eventually(async () => expect(isFull(turns)).toBe(false));
  expect(begun).toBe(0);
});

test('a request whose response is closed before it asks for a turn gives up its place, and one that waits does not', async () => {
  const turns = new KeyTurns(QUEUE_LIMIT_SITES, 60_000);
  let end = () => {};
  const working = new Promise<void>((resolve) => {
    end = resolve;
  });
  const [first, second] = [admitted(turns), admitted(turns)];
  const runs = [first, second].map((reply) => turns.run('a key', reply, () => working));
  const [third] = [admitted(turns), admitted(turns)];
  second.raw.emit('close');
  expect(isFull(turns)).toBe(true);
  third.raw.emit('close');
  expect(isFull(turns)).toBe(false);
  end();
  await Promise.all(runs);
});
