import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestPacer } from '../../src/http/server/pacing.js';
import { forAllAsync } from '../support/for-all.js';
import { openSocket } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

const SMALL_BYTES = 1000;
const BATCH_BYTES = 50_000;
/** Small requests and batches of one key that begin in a turn while others call, and while none does. */
const SHARED = { small: 6, batches: 1 };
const ALONE = { small: 64, batches: 6 };
/** After this time without requests of other keys, a key is alone. */
const ALONE_MS = 1001;

const service = await serviceOfFile();
const keys: string[] = [service.key, (await service.issueKey('hypha')).secret];

// Time stands still: keys share the turns until a test says otherwise.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Lets requests take turns, and records the order in which they begin. */
class Recorder {
  readonly pacer = new RequestPacer();
  readonly began: string[] = [];

  /** @param keys that called before */
  constructor(keys: readonly string[]) {
    for (const key of keys) this.pacer.note(key);
  }

  /** Asks as a connection does: again when it is called back. */
  request(keyId: string, bytes = SMALL_BYTES, name = keyId): void {
    if (this.pacer.mayBegin(keyId, bytes)) this.began.push(name);
    else this.pacer.wait(keyId, () => this.request(keyId, bytes, name));
  }

  requests(count: number, keyId: string, bytes?: number): void {
    for (let request = 0; request < count; request++) this.request(keyId, bytes);
  }
}

const times = (count: number, name: string) => new Array<string>(count).fill(name);

test.each([
  ['small requests', 'that calls alone', SMALL_BYTES, ALONE.small],
  ['batches', 'that calls alone', BATCH_BYTES, ALONE.batches],
  ['small requests', 'beside others', SMALL_BYTES, SHARED.small],
  ['batches', 'beside others', BATCH_BYTES, SHARED.batches],
])('a few %s of a key %s begin in each turn', async (_kind, callers, bytes, perTurn) => {
  const recorder = new Recorder(callers === 'beside others' ? ['other', 'flood'] : ['flood']);
  recorder.requests(3 * perTurn, 'flood', bytes);
  for (let turn = 1; turn <= 3; turn++) {
    expect(recorder.began).toHaveLength(turn * perTurn);
    await nextTurn();
  }
});

test('a request of another key begins before the requests that a flood sent in the same turn', async () => {
  const recorder = new Recorder(['other', 'flood']);
  recorder.requests(20, 'flood');
  recorder.request('other');
  expect(recorder.began).toEqual([...times(SHARED.small, 'flood'), 'other']);
  await nextTurn();
  recorder.request('flood'); // behind those that wait
  recorder.request('other');
  expect(recorder.began.slice(1 + SHARED.small)).toEqual([...times(SHARED.small, 'flood'), 'other']);
  await nextTurn();
  await nextTurn();
  expect(recorder.began.filter((name) => name === 'flood')).toHaveLength(21);
});

test('requests that wait let up to 16 connections be accepted first, one in a turn', async () => {
  const recorder = new Recorder(['flood']);
  recorder.requests(2 * ALONE.small, 'flood');
  for (let accepted = 0; accepted < 17; accepted++) {
    expect(recorder.began).toHaveLength(ALONE.small);
    recorder.pacer.noteConnection();
    await nextTurn();
  }
  expect(recorder.began).toHaveLength(2 * ALONE.small);
});

test('requests that wait begin together once their key calls alone again', async () => {
  const recorder = new Recorder(['other', 'flood']);
  recorder.requests(50, 'flood');
  expect(recorder.began).toHaveLength(SHARED.small);
  vi.advanceTimersByTime(ALONE_MS);
  recorder.request('flood');
  expect(recorder.began).toHaveLength(SHARED.small + 1);
  await nextTurn();
  expect(recorder.began).toHaveLength(51);
});

test('each request begins once and in the order of its key, a few of each key in a turn, whatever arrives', async () => {
  const bytes = fc.constantFrom(SMALL_BYTES, BATCH_BYTES);
  const arriving = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), bytes }), { maxLength: 30 });
  await forAllAsync(50, [fc.array(arriving, { maxLength: 6 })], async (turns) => {
    const recorder = new Recorder(['a', 'b', 'c']);
    const sent: string[] = [];
    const ofKey = (names: readonly string[], key: string) => names.filter((name) => name.startsWith(key));
    for (const requests of turns) {
      const before = recorder.began.length;
      for (const { key, bytes } of requests) {
        const name = `${key} ${sent.length}`;
        sent.push(name);
        recorder.request(key, bytes, name);
      }
      await nextTurn();
      // Those that began as they arrived and, in the next turn, those that had waited.
      for (const key of ['a', 'b', 'c'])
        expect(ofKey(recorder.began.slice(before), key).length).toBeLessThanOrEqual(2 * SHARED.small);
    }
    for (let turn = 0; turn < sent.length; turn++) await nextTurn();
    for (const key of ['a', 'b', 'c']) expect(ofKey(recorder.began, key)).toEqual(ofKey(sent, key));
  });
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
  await ask(others, keys[1]);
  await ask(flood, keys[0]); // their key is known from now on
  subscribe('http.server.request.start', count);
  tick();
  await ask(flood, keys[0]);
  isCounting = false;
  unsubscribe('http.server.request.start', count);
  for (const socket of sockets) socket.destroy();
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2 * SHARED.small); // those of two turns may begin between two ticks
});
