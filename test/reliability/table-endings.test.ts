import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { amount } from '../support/length.js';
import { openSocket } from '../support/raw-http.js';
import { ServiceProcess } from '../support/service-process.js';
import { expectBrokenOff, readToEnd, startWideAnswer, WIDE_ROWS } from './support/wide-table.js';

/** The three formats by their media type, and what an answer in them ends with. */
const FORMATS = [
  ['text/csv', ''],
  ['application/x-ndjson', '}\n'],
  ['application/vnd.apache.arrow.stream', '\xff\xff\xff\xff\0\0\0\0'],
] as const;

/** A service, and an answer in each format of which only the beginning is read. */
async function startAnswers(environment: Record<string, string>) {
  const service = new ServiceProcess({ DRAIN_DELAY_MS: '0', ...environment });
  const { api: apiUrl } = await service.ready();
  const key = await service.firstKey();
  const sockets = [];
  for (const [type] of FORMATS) sockets.push(await startWideAnswer({ apiUrl, key }, [`Accept: ${type}`]));
  return { service, api: apiUrl, sockets };
}

/** The body of an answer as far as it arrived, and whether its last chunk did. */
function bodyOf(bytes: Buffer): { body: string; isWhole: boolean } {
  let at = bytes.indexOf('\r\n\r\n') + 4;
  const parts: string[] = [];
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (length === 0) return { body: parts.join(''), isWhole: true };
    parts.push(bytes.toString('latin1', end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return { body: parts.join(''), isWhole: false };
}

/** Waits until the server refuses connections and the service has closed its idle ones. */
async function stopsListening(url: string): Promise<void> {
  await eventually(async () => {
    await expect(openSocket(url).then((socket) => socket.destroy())).rejects.toThrow('ECONNREFUSED');
  });
  await delay(1000);
}

test('after SIGTERM tables whose callers read slowly are answered to their end within the time of the shutdown', async () => {
  const { service, api, sockets } = await startAnswers({
    REQUEST_TIMEOUT_MS: '60000',
    SHUTDOWN_TIMEOUT_MS: '240000',
  });
  service.signal('SIGTERM');
  await stopsListening(api);
  const answers = await Promise.all(sockets.map(readToEnd));
  for (const [i, [, end]] of FORMATS.entries()) {
    const { body, isWhole } = bodyOf(answers[i]);
    expect(isWhole).toBe(true);
    expect(body.endsWith(end)).toBe(true);
  }
  expect(bodyOf(answers[0]).body.match(/\n/g)).toHaveLength(1 + WIDE_ROWS);
  expect(bodyOf(answers[1]).body.match(/\n/g)).toHaveLength(WIDE_ROWS);
  expect(await service.exit).toEqual({ code: 0, signal: null });
}, 300_000);

test.each([
  ['SIGKILL', 'SIGKILL', amount({ short: 1, long: 20 })],
  ['SIGTERM, past the time of the shutdown,', 'SIGTERM', amount({ short: 1, long: 5 })],
] as const)(
  'after %s in the middle of tables no answer looks whole, in any format',
  async (_name, signal, times) => {
    for (let time = 0; time < times; time++) {
      const { service, sockets } = await startAnswers({ SHUTDOWN_TIMEOUT_MS: '500' });
      service.signal(signal);
      expect((await service.exit).signal).toBe('SIGKILL');
      const answers = await Promise.all(sockets.map(readToEnd));
      for (const [i, [type, end]] of FORMATS.entries()) {
        expectBrokenOff(answers[i]);
        if (type.endsWith('arrow.stream')) expect(bodyOf(answers[i]).body.endsWith(end)).toBe(false);
      }
    }
  },
);
