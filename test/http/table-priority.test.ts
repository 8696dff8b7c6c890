import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.js';

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
    const response = await fetch(`${service.apiUrl}/v1/predict/table`, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'text/csv' },
      body: 'latitude,longitude,species_code,planting_method\n44.12,-122.03,PSME,manual\n',
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(otherPriorities()).toEqual([Math.min(getPriority(process.pid) + 5, LOWEST)]);
  },
);
