import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Load } from '../../testing/load/load.js';
import { IS_LONG } from '../support/length.js';
import { ServiceProcess } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { readMetrics } from './support/metrics.js';
import { askForAll, MixedLoad } from './support/mixed-load.js';
import { HYPHA_SIZES, mixedRequests } from './support/mixed-requests.js';

const DATA_DIR = fileURLToPath(new URL('../../data', import.meta.url));
const REQUESTS = 1_000_000;
/** By then all code is compiled and every cache has its size. */
const WARM_REQUESTS = REQUESTS / 5;
const ROUND_MS = 10_000;

test.runIf(IS_LONG)(
  'memory and handles do not grow with the number of requests, some of which are batches, tables, rankings, plans and surfaces',
  async () => {
    const service = new ServiceProcess({ CACHE_BYTES: '0', REQUEST_TIMEOUT_MS: '60000' });
    const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
    const load = new Load();
    const target = { api, key };
    const mixed = new MixedLoad(target, await askForAll(target, mixedRequests(HYPHA_SIZES)));
    onTestFinished(() => load.close());
    let singles = 0;
    const sendUntil = async (count: number) => {
      while (sent() < count) {
        const { requests, failures } = await load.run({
          port: Number(new URL(api).port),
          key,
          dataDir: DATA_DIR,
          workload: 'single',
          connections: 32,
          durationMs: ROUND_MS,
          seed: singles,
        });
        // A few of the sites, which are near grid points by chance, lie across a border.
        expect(['', '422']).toContain(String(Object.keys(failures)));
        singles += requests;
      }
    };
    const sent = () => singles + mixed.requests;
    await sendUntil(WARM_REQUESTS);
    const before = await readMetrics(ops);
    const warm = sent();
    await sendUntil(REQUESTS);
    const after = await readMetrics(ops);
    const requests = sent();
    await mixed.stop();
    reportFigures('a million requests', {
      'requests before the first reading': warm,
      'resident, MB': before.residentMb,
      'heap, MB': before.heapMb,
      requests,
      'resident at the end, MB': after.residentMb,
      'heap at the end, MB': after.heapMb,
      'handles more': after.handles - before.handles,
      ...Object.fromEntries(mixed.answered),
    });
    expect(after.residentMb).toBeLessThan(before.residentMb + 50);
    expect(after.handles).toBe(before.handles);
  },
  3_600_000,
);
