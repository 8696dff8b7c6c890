import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { IS_LONG, rounds } from '../support/length.js';
import { openSocket, readAnswer } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess } from '../support/service-process.js';
import { callUntilRefused, type Manners, newTally } from './support/persistent-caller.js';

const BATCH = JSON.stringify({ requests: Array(20).fill(PREDICT_REQUEST) });
const CALLERS = 32;
/** Answers before the signal, so that every caller is in the middle of its requests. */
const ANSWERS_BEFORE = 10 * CALLERS;

interface Load extends Manners {
  readonly drainDelayMs: number;
}

const LOADS: Readonly<Record<string, Load>> = {
  'one request after another on kept connections': { keepsConnection: true, pauseMs: 0, drainDelayMs: 500 },
  'kept connections that are idle now and then': { keepsConnection: true, pauseMs: 100, drainDelayMs: 500 },
  'a new connection for every request': { keepsConnection: false, pauseMs: 0, drainDelayMs: 500 },
  'connections idle now and then, and no drain delay': {
    keepsConnection: true,
    pauseMs: 100,
    drainDelayMs: 0,
  },
};

for (const [name, { drainDelayMs, ...manners }] of Object.entries(LOADS)) {
  test.each(rounds({ short: 1, long: 34 }))(
    `on SIGTERM under load of ${name}, every request is answered with 200 until no connection is accepted (round %i)`,
    async () => {
      const service = new ServiceProcess({ DRAIN_DELAY_MS: String(drainDelayMs) });
      const [{ api }, key] = [await service.ready(), await service.firstKey()];
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const tally = newTally();
      const callers = Array.from({ length: CALLERS }, () =>
        callUntilRefused(`${api}/v1/predict/batch`, headers, BATCH, manners, tally),
      );
      await eventually(() => expect(tally.answers.get(200)).toBeGreaterThan(ANSWERS_BEFORE));
      const signalMs = performance.now();
      service.signal('SIGTERM');
      await Promise.all(callers);

      expect(await service.exit).toEqual({ code: 0, signal: null });
      expect({ lost: [...tally.lost], statuses: [...tally.answers.keys()] }).toEqual({
        lost: [],
        statuses: [200],
      });
      expect(tally.refusedAtMs - signalMs).toBeGreaterThan(drainDelayMs);
      if (IS_LONG) expect(tally.refusedAtMs - signalMs).toBeLessThan(drainDelayMs + 2000);
    },
  );
}

test('a caller who is refused during the drain while still sending gets the answer', async () => {
  const service = new ServiceProcess({ DRAIN_DELAY_MS: '2000' });
  const { api } = await service.ready();
  const socket = await openSocket(api);
  service.signal('SIGTERM');
  await service.line(/"msg":"draining"/);
  const part = ' '.repeat(50_000);
  const head = ['POST /v1/predict/batch HTTP/1.1', 'Host: test', 'Content-Type: application/json'];
  socket.write([...head, `Content-Length: ${10 * part.length}`, '', ''].join('\r\n'));
  for (let sent = 0; sent < 10; sent++) {
    socket.write(part);
    await delay(20);
  }
  expect(await readAnswer(socket)).toMatchObject({ status: 401 });
  expect(await service.exit).toEqual({ code: 0, signal: null });
});
