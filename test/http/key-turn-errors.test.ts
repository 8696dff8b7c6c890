import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { KeyTurns } from '../../src/http/serving/key-turns.js';

/** Enough for several jobs of a request at once. */
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
  const app = Fastify();
  onTestFinished(() => app.close());
  app.get('/', async (_request, reply) => {
    turns.admit('a key', reply);
    const error = await turns.run('a key', reply, predict).catch((reason: Error) => reason.message);
    return { error, begun, ended };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const answer = await (await fetch(`http://127.0.0.1:${port}/`)).json();
  expect(begun).toBeGreaterThan(1);
  expect(answer).toEqual({ error: 'the first job failed', begun, ended: begun });
});
