import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyReply } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { KeyTurns } from '../../src/http/serving/key-turns.js';
import { eventually } from '../support/eventually.js';

/** Serves a route on a free port. @returns its URL */
async function serve(answer: (reply: FastifyReply) => Promise<unknown>): Promise<string> {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.get('/', async (_request, reply) => answer(reply));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`;
}

/** The default, which is enough for several jobs of a request at once. */
const QUEUE_LIMIT_SITES = 20_000;

test('A request of which one job fails ends when its other jobs have ended, which may still submit rows until then.', async () => {
  const turns = new KeyTurns(QUEUE_LIMIT_SITES, 60_000);
  let begun = 0;
  let ended = 0;
  const predict = async () => {
    const isFirst = begun++ === 0;
    if (!isFirst) for (let turn = 0; turn < 10; turn++) await nextTurn();
    ended++;
    if (isFirst) throw new Error('the first job failed');
  };
  const url = await serve(async (reply) => {
    turns.admit('a key', reply);
    const error = await turns.run('a key', reply, predict).catch((reason: Error) => reason.message);
    return { error, begun, ended };
  });
  const answer = await (await fetch(url)).json();
  expect(begun).toBeGreaterThan(1);
  expect(answer).toEqual({ error: 'the first job failed', begun, ended: begun });
});

test('Of 20 requests of a key two are predicted for at a time, in the order of their arrival; the 21st is rejected.', async () => {
  const turns = new KeyTurns(QUEUE_LIMIT_SITES, 60_000);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const atWork = new Set<number>();
  const begun: number[] = [];
  let admitted = 0;
  let mostAtWork = 0;
  const url = await serve(async (reply) => {
    turns.admit('a key', reply);
    const request = admitted++;
    await turns.run('a key', reply, async () => {
      if (!begun.includes(request)) begun.push(request);
      atWork.add(request);
      mostAtWork = Math.max(mostAtWork, atWork.size);
      await gate;
      await nextTurn();
      atWork.delete(request);
    });
    return 'predicted';
  });
  const answers = Array.from({ length: 20 }, () => fetch(url));
  await eventually(() => expect(admitted).toBe(20));
  expect(await (await fetch(url)).json()).toMatchObject({
    message: expect.stringContaining('Too many plans'),
  });
  open();
  for (const answer of answers) expect((await answer).status).toBe(200);
  expect(mostAtWork).toBe(2);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, request) => request));
});
