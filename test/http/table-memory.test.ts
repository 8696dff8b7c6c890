import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';
import { csvOf, postTable, TABLE_PATH } from './support/tables.js';

const LIMIT_BYTES = 2_000_000;
/** What a table of that size takes while it is open. */
const OPEN_BYTES = LIMIT_BYTES + 5 * 2 ** 20;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    REQUEST_TIMEOUT_MS: '60000', // uploads that wait are not too slow meanwhile
    TABLE_LIMIT_BYTES: String(LIMIT_BYTES),
    TABLE_MEMORY_BYTES: String(2 * OPEN_BYTES + 20_000), // and one of a row
  });
});
afterAll(() => service.stop());

const tableOf = (rows: number) => csvOf(Array(rows).fill(PREDICT_REQUEST));

test('beyond half of the memory for tables a key is overloaded before its body, and beyond all of it every key', async () => {
  const [one, other, third] = await Promise.all(
    Array.from({ length: 3 }, async () => (await service.issueKey('hypha')).secret),
  );
  /** Sends the head of a table that takes all that one may have. */
  const startLarge = async (key: string) => {
    const socket = await openSocket(service.apiUrl);
    const headers = [`X-API-Key: ${key}`, 'Content-Type: text/csv', `Content-Length: ${LIMIT_BYTES}`];
    socket.write(rawRequest(`POST ${TABLE_PATH} HTTP/1.1`, [...headers, 'Expect: 100-continue']));
    return { socket, head: String((await once(socket, 'data'))[0]) };
  };
  const postSmall = (rows: number, key: string) =>
    postTable(service, tableOf(rows), '', { 'x-api-key': key });
  const large = await startLarge(one);
  expect(large.head).toMatch(/^HTTP\/1.1 100 /);
  expect((await startLarge(one)).head).toMatch(/^HTTP\/1.1 503 /);
  await expectError(await postSmall(100, one), 503, 'overloaded');
  const ofOther = await startLarge(other);
  expect(ofOther.head).toMatch(/^HTTP\/1.1 100 /);
  expect((await postSmall(1, third)).status).toBe(200);
  const refused = await postSmall(100, third);
  await expectError(refused, 503, 'overloaded');
  expect(refused.headers.get('retry-after')).toBe('1');
  large.socket.destroy();
  await eventually(async () => expect((await postSmall(100, third)).status).toBe(200));
  ofOther.socket.destroy();
});
