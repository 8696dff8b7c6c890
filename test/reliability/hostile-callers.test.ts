import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Connection } from '../../testing/load/connection.js';
import { quantile } from '../../testing/statistics.js';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG } from '../support/length.js';
import { openSocket } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { releaseFolders } from '../support/service-on-releases.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { BATCH, HOSTILITIES, type Hostility, requestOf } from './support/hostile-callers.js';
import { KeysCommand } from './support/keys-command.js';
import { readMetrics } from './support/metrics.js';

const CALLERS = amount({ short: 20, long: 2000 });
const REQUEST_TIMEOUT_MS = 2000;
const GOOD_PAUSE_MS = 5;
const MIN_GOOD = 50;
const ALONE = amount({ short: 1, long: 300 });
/** Limits for the latency of a good caller: the median, and the increase of the p99 over calling alone. */
const MEDIAN_MS = 50;
const P99_MORE_MS = 250;
/** Limit for the growth of the service: the memory of its largest rush. */
const GROWTH_MB = 250;

/** In the long form each kind on its own, for the figures; in the short form all together. */
const RUSHES: readonly (readonly [name: string, Hostility])[] = IS_LONG
  ? Object.entries(HOSTILITIES)
  : [
      [
        'all kinds of callers',
        (...rush) => Promise.all(Object.values(HOSTILITIES).map((act) => act(...rush))),
      ],
    ];

test.each(RUSHES)(
  'every request of another caller is answered during calls of %s, which leave nothing behind',
  async (name, hostility) => {
    const databaseUrl = `sqlite:${temporaryFolder()}/keys.db`;
    const service = new ServiceProcess({
      DATABASE_URL: databaseUrl,
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
    });
    const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
    const { key: hostileKey } = await new KeysCommand(databaseUrl).issue('hypha');
    const good = await Connection.open(Number(new URL(api).port));
    const request = Buffer.from(requestOf('/v1/predict', key, JSON.stringify(PREDICT_REQUEST)));
    expect(await good.send(request)).toBe(200);
    const before = await readMetrics(ops);

    let most = before.residentMb;
    /** Predicts for the good caller until there are enough. @returns the latencies in ms, sorted */
    const predict = async (isEnough: (count: number) => boolean) => {
      const latenciesMs: number[] = [];
      while (!isEnough(latenciesMs.length)) {
        const sentMs = performance.now();
        expect(await good.send(request)).toBe(200);
        latenciesMs.push(performance.now() - sentMs);
        await delay(GOOD_PAUSE_MS);
        if (latenciesMs.length % 100 === 0) most = Math.max(most, (await readMetrics(ops)).residentMb);
      }
      return latenciesMs.sort((a, b) => a - b);
    };
    const aloneMs = await predict((count) => count === ALONE);
    let isOver = false;
    const hostile = hostility({ api, key: hostileKey }, CALLERS).finally(() => {
      isOver = true;
    });
    const latenciesMs = await predict((count) => isOver && count >= MIN_GOOD);
    await hostile;
    // The resources of callers are released once the service notices that they are gone.
    const after = await eventually(async () => {
      const metrics = await readMetrics(ops);
      expect(metrics.handles).toBeLessThanOrEqual(before.handles);
      for (const gauge of ['queue_sites', 'jobs_unfinished'])
        expect(metrics.value(`nurselog_${gauge}`)).toBe(0);
      return metrics;
    });
    reportFigures(name, {
      callers: CALLERS,
      'good predictions': latenciesMs.length,
      'median ms alone': quantile(aloneMs, 0.5),
      'p99 ms alone': quantile(aloneMs, 0.99),
      'median ms': quantile(latenciesMs, 0.5),
      'p99 ms': quantile(latenciesMs, 0.99),
      'most ms': latenciesMs.at(-1)!,
      'resident before, MB': before.residentMb,
      'resident at most, MB': most,
      'resident after, MB': after.residentMb,
    });

    if (IS_LONG) {
      expect(quantile(latenciesMs, 0.5)).toBeLessThan(MEDIAN_MS);
      expect(quantile(latenciesMs, 0.99) - quantile(aloneMs, 0.99)).toBeLessThan(P99_MORE_MS);
      expect(most).toBeLessThan(before.residentMb + GROWTH_MB);
    }
    good.close();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.errors).toBe('');
  },
);

test('work that waits for callers who hung up, with a reset or by closing, is not done', async () => {
  const releases = releaseFolders();
  releases.replaceModels({ idleProducts: 60 }); // half a second a run or more
  const service = new ServiceProcess({ ...releases.environment, CACHE_BYTES: '0' });
  const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
  const batch = requestOf('/v1/predict/batch', key, BATCH);
  const gauge = async (name: string) => (await readMetrics(ops)).value(`nurselog_${name}`);
  const sites = async () => (await readMetrics(ops)).sum('nurselog_sites_total');
  for (const hangUp of ['destroy', 'resetAndDestroy'] as const) {
    const before = await sites();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(api)));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.write(batch);
    }
    await eventually(async () => expect(await gauge('queue_sites')).toBeGreaterThanOrEqual(12 * 500));
    for (const socket of sockets) socket[hangUp]();
    await eventually(async () => {
      expect(await gauge('queue_sites')).toBe(0);
      expect(await gauge('jobs_unfinished')).toBe(0);
    });
    expect((await sites()) - before).toBeLessThan(10 * 500);
  }
});
