import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';
import { csvOf, postTable } from './support/tables.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** The priorities of the threads of this process that differ from that of its main thread. */
function otherPriorities(): number[] {
  return readdirSync('/proc/self/task')
    .map((thread) => getPriority(Number(thread)))
    .filter((priority) => priority !== getPriority(process.pid));
}

const LOWEST = 19;

test.skipIf(process.platform !== 'linux' || getPriority() === LOWEST)(
  'the thread of tables, and no other, has a lower priority than the main thread',
  async () => {
    const response = await postTable(service, csvOf([PREDICT_REQUEST]));
    expect(response.status).toBe(200);
    await response.text();
    expect(otherPriorities()).toEqual([Math.min(getPriority(process.pid) + 5, LOWEST)]);
  },
);
