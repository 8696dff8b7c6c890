import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RequestPacer } from '../../src/http/server/pacing.js';
import { openSocket } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

/** Requests of one key that begin in a turn while others call. */
const PER_TURN = 6;
/** After this time without requests of other keys, a key is alone. */
const ALONE_MS = 1001;

const service = await serviceOfFile();
const keys: string[] = [service.key, (await service.issueKey('hypha')).secret];

/** Lets requests take turns, and records the order in which they begin. */
class Recorder {
  readonly turns = new RequestPacer();
  readonly began: string[] = [];

  /** @param keys that called before */
  constructor(keys: readonly string[]) {
    for (const key of keys) this.turns.note(key);
  }

  /** Asks as a connection does: again in each turn until its request may begin. */
  request(keyId: string | undefined, name = String(keyId)): void {
    if (this.turns.mayBegin(keyId)) this.began.push(name);
    else setImmediate(() => this.request(keyId, name));
  }

  requests(count: number, keyId: string | undefined): void {
    for (let request = 0; request < count; request++) this.request(keyId);
  }
}

const times = (count: number, name: string) => new Array<string>(count).fill(name);

test('all requests of a key that calls alone begin at once, and so do those without a key', () => {
  const alone = new Recorder(['flood']);
  alone.requests(100, 'flood');
  expect(alone.began).toHaveLength(100);
  const shared = new Recorder(['flood', 'other']);
  shared.requests(100, undefined);
  expect(shared.began).toHaveLength(100);
});

test('a request of another key begins before the requests that a flood sent in the same turn', async () => {
  const recorder = new Recorder(['other', 'flood']);
  recorder.requests(20, 'flood');
  recorder.request('other');
  expect(recorder.began).toEqual([...times(PER_TURN, 'flood'), 'other']);
  await nextTurn();
  recorder.request('flood'); // behind those that wait
  recorder.request('other');
  expect(recorder.began.slice(1 + PER_TURN)).toEqual([...times(PER_TURN, 'flood'), 'other']);
  await nextTurn();
  await nextTurn();
  expect(recorder.began.filter((name) => name === 'flood')).toHaveLength(21);
});

test('requests that wait begin together once their key calls alone again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const recorder = new Recorder(['other', 'flood']);
  recorder.requests(50, 'flood');
  expect(recorder.began).toHaveLength(PER_TURN);
  vi.advanceTimersByTime(ALONE_MS);
  recorder.request('flood');
  expect(recorder.began).toHaveLength(PER_TURN + 1);
  await nextTurn();
  expect(recorder.began).toHaveLength(51);
});

test('each request begins once and in the order of its key, a few of each key in a turn, whatever arrives', async () => {
  vi.useFakeTimers({ toFake: ['performance'] }); // the keys share the turns throughout
  onTestFinished(() => void vi.useRealTimers());
  const arrivals = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(arrivals, async (turns) => {
      const recorder = new Recorder(['a', 'b', 'c']);
      const sent: string[] = [];
      const ofKey = (names: readonly string[], key: string) => names.filter((name) => name.startsWith(key));
      for (const arriving of turns) {
        const before = recorder.began.length;
        for (const key of arriving) {
          const name = `${key} ${sent.length}`;
          sent.push(name);
          recorder.request(key, name);
        }
        await nextTurn();
        // Those that began as they arrived and, in the next turn, those that had waited.
        for (const key of ['a', 'b', 'c'])
          expect(ofKey(recorder.began.slice(before), key).length).toBeLessThanOrEqual(2 * PER_TURN);
      }
      for (let turn = 0; turn < sent.length; turn++) await nextTurn();
      for (const key of ['a', 'b', 'c']) expect(ofKey(recorder.began, key)).toEqual(ofKey(sent, key));
    }),
    { numRuns: 50 },
  );
});

const usage = (key: string) => `GET /v1/usage HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;

test('only a few requests of a key begin in a turn if 40 of its connections send at once while another key calls', async () => {
  const sockets = await Promise.all(
    keys.flatMap((key) => times(40, key)).map(() => openSocket(service.apiUrl)),
  );
  const [flood, others] = [sockets.slice(0, 40), sockets.slice(40)];
  const ask = async (of: typeof sockets, key: string) => {
    const answered = Promise.all(of.map((socket) => once(socket, 'data')));
    for (const socket of of) socket.write(usage(key));
    await answered;
  };
  let [began, most, isCounting] = [0, 0, true];
  const count = () => {
    began++;
    most = Math.max(most, began);
  };
  const tick = () => {
    began = 0;
    if (isCounting) setImmediate(tick);
  };
  vi.useFakeTimers({ toFake: ['performance'] }); // the keys share the turns throughout
  onTestFinished(() => void vi.useRealTimers());
  await ask(others, keys[1]);
  await ask(flood, keys[0]); // their key is known from now on
  subscribe('http.server.request.start', count);
  tick();
  await ask(flood, keys[0]);
  isCounting = false;
  unsubscribe('http.server.request.start', count);
  for (const socket of sockets) socket.destroy();
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2 * PER_TURN); // those of two turns may begin between two ticks
});
