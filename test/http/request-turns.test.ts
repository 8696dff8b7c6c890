import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestTurns } from '../../src/http/server/request-turns.js';
import { answersOn } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService } from '../support/service.js';

/** Requests of one key that begin in a turn while others call. */
const PER_TURN = 6;

/** Lets requests take turns, and tells which began in which turn. */
class Recorder {
  readonly turns = new RequestTurns();
  readonly began: string[] = [];

  request(keyId: string | undefined, name = String(keyId)): void {
    if (this.turns.begin(keyId, () => this.began.push(name))) this.began.push(name);
  }
}

const times = (count: number, name: string) => new Array<string>(count).fill(name);

test('all requests of a key that calls alone begin at once, and so do those without a key', () => {
  const recorder = new Recorder();
  for (let request = 0; request < 100; request++) {
    recorder.request('flood');
    recorder.request(undefined, 'none');
  }
  expect(recorder.began).toHaveLength(200);
});

test('a request of another key begins before the requests that a flood sent in the same turn', async () => {
  const recorder = new Recorder();
  recorder.request('other');
  for (let request = 0; request < 20; request++) recorder.request('flood');
  recorder.request('other');
  expect(recorder.began).toEqual(['other', ...times(PER_TURN, 'flood'), 'other']);
  await nextTurn();
  recorder.request('flood'); // behind those that wait
  recorder.request('other');
  expect(recorder.began.slice(2 + PER_TURN)).toEqual([...times(PER_TURN, 'flood'), 'other']);
  await nextTurn();
  await nextTurn();
  expect(recorder.began.filter((name) => name === 'flood')).toHaveLength(21);
});

test('whatever arrives, each request begins once, in the order of its key, and a few of each key in a turn', async () => {
  const arrivals = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(arrivals, async (turns) => {
      const recorder = new Recorder();
      const sent: string[] = [];
      for (const key of ['a', 'b']) recorder.request(key, `${key} first`);
      for (const keys of turns) {
        const before = recorder.began.length;
        for (const key of keys) {
          const name = `${key} ${sent.length}`;
          sent.push(name);
          recorder.request(key, name);
        }
        await nextTurn();
        // Those that began as they arrived and, in the next turn, those that had waited.
        const began = recorder.began.slice(before);
        for (const key of ['a', 'b', 'c'])
          expect(began.filter((name) => name.startsWith(key)).length).toBeLessThanOrEqual(2 * PER_TURN);
      }
      for (let turn = 0; turn < sent.length; turn++) await nextTurn();
      const ofKey = (names: readonly string[], key: string) => names.filter((name) => name.startsWith(key));
      for (const key of ['a', 'b', 'c'])
        expect(ofKey(recorder.began.slice(2), key)).toEqual(ofKey(sent, key));
    }),
    { numRuns: 50 },
  );
});

test('every request of two keys that flood the service is answered in order, whichever connections they share', async () => {
  const service = await startTestService();
  try {
    const keys = [service.key, (await service.issueKey('hypha')).secret];
    const body = JSON.stringify(PREDICT_REQUEST);
    const request = (key: string, connection: number) =>
      connection % 4 === 0
        ? `GET /v1/usage HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
        : `POST /v1/predict HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, connection) =>
        answersOn(
          service.apiUrl,
          // The keys of every third connection alternate, as behind a proxy.
          Array.from({ length: 25 }, (_, at) =>
            request(keys[(connection % 3 === 0 ? at : connection) % 2], connection),
          ).join(''),
        ),
      ),
    );
    for (const { statuses } of answers) expect(statuses).toEqual(new Array(25).fill(200));
  } finally {
    await service.stop();
  }
});
