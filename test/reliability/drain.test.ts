import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG, rounds } from '../support/length.js';
import { openSocket, readAnswer } from '../support/raw-http.js';
import { ServiceProcess } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { askForAll } from './support/mixed-load.js';
import { mixedRequests } from './support/mixed-requests.js';
import { callUntilRefused, type Manners, Tally } from './support/persistent-caller.js';

const MIX = mixedRequests({ batchSites: 20, tableRows: 100, surfacePoints: 100 });
const CALLERS = 32;
/** Answers before the signal, so that every caller is in the middle of its requests. */
const ANSWERS_BEFORE = amount({ short: 2, long: 10 }) * CALLERS;

interface Load extends Omit<Manners, 'keptMs'> {
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

/** Large enough for all callers, who share one key, on a busy machine. */
const PATIENCE = {
  REQUEST_TIMEOUT_MS: '60000',
  SHUTDOWN_TIMEOUT_MS: '60000',
  QUEUE_LIMIT_SITES: '100000',
};

/** How long an idle connection has to send another request after the drain delay. */
const IDLE_MS = 500;

const TELL_ACCEPTED = fileURLToPath(new URL('./support/tell-accepted.mjs', import.meta.url));

let shutdowns = 0;
let answered = 0;
let late = 0;
afterAll(() =>
  reportFigures('shutdowns', { shutdowns, 'requests answered': answered, 'after too long a pause': late }),
);

/** In the short form, the idle callers without a drain delay stand for all idle ones. */
const BRIEFLY = Object.entries(LOADS).filter(([name]) => IS_LONG || !name.endsWith('idle now and then'));

for (const [name, { drainDelayMs, ...habits }] of BRIEFLY) {
  test.each(rounds({ short: 1, long: 34 }))(
    `on SIGTERM under load of ${name}, every request is answered with 200 until no connection is accepted (round %i)`,
    async () => {
      const service = new ServiceProcess({
        DRAIN_DELAY_MS: String(drainDelayMs),
        NODE_OPTIONS: `--import=${TELL_ACCEPTED}`,
        ...PATIENCE,
      });
      const [{ api }, key] = [await service.ready(), await service.firstKey()];
      const answers = await askForAll({ api, key }, MIX);
      const tally = new Tally();
      const manners = { ...habits, keptMs: drainDelayMs + IDLE_MS };
      const callers = Array.from({ length: CALLERS }, (_, caller) =>
        callUntilRefused({ api, key }, answers, caller, manners, tally),
      );
      await eventually(() => expect(tally.answers.get(200)).toBeGreaterThan(ANSWERS_BEFORE));
      const signalMs = performance.now();
      service.signal('SIGTERM');
      await Promise.all(callers);

      expect(await service.exit).toEqual({ code: 0, signal: null });
      // When the listening socket closes, the system resets the connections that the service has not accepted yet. How
      // many these are depends on when the service and its callers get the processor.
      const accepted = new Set(service.errors.match(/(?<=^accepted )\d+$/gm)?.map(Number));
      const lost = tally.unanswered.filter(({ port }) => port === undefined || accepted.has(port));
      expect({ lost, statuses: [...tally.answers.keys()] }).toEqual({ lost: [], statuses: [200] });
      if (IS_LONG) expect(tally.unanswered).toEqual([]);
      shutdowns++;
      answered += tally.answers.get(200)!;
      late += tally.late;
      expect(tally.refusedAtMs - signalMs).toBeGreaterThan(drainDelayMs);
      if (IS_LONG) expect(tally.refusedAtMs - signalMs).toBeLessThan(drainDelayMs + 2000);
    },
  );
}

test('a caller who is refused during the drain while still sending gets the answer', async () => {
  const service = new ServiceProcess({ DRAIN_DELAY_MS: '2000' });
  const { api } = await service.ready();
  const socket = await openSocket(api);
  socket.write('POST /v1/predict/batch HTTP/1.1\r\nHost: test\r\n'); // an idle connection would end with the drain
  service.signal('SIGTERM');
  await service.line(/"msg":"draining"/);
  const part = ' '.repeat(50_000);
  socket.write(`Content-Type: application/json\r\nContent-Length: ${10 * part.length}\r\n\r\n`);
  for (let sent = 0; sent < 10; sent++) {
    socket.write(part);
    await delay(20);
  }
  expect(await readAnswer(socket)).toMatchObject({ status: 401 });
  expect(await service.exit).toEqual({ code: 0, signal: null });
});
