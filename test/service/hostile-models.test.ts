import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { IS_LONG } from '../support/length.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { RELOAD_REJECTED, startOnReleases } from '../support/service-on-releases.js';
import { ServiceProcess } from '../support/service-process.js';

/** More seeds than a probe of the grid has. */
const RARE = { ...PREDICT_REQUEST, planting_method: 'drone_seeded', conditions: { seeds_per_spot: 10_000 } };

test.each(['NaN', 'rising', 'aboveOne'] as const)(
  'a request whose survival is no probability, or rises, gets 500, the log says why, and other requests are answered: %s',
  async (kind) => {
    const { service, ops, newClient } = await startOnReleases({}, (releases) => {
      releases.put(2);
      releases.replaceModels({ trap: { kind, above: 9999 } });
    });
    const [single, batch, sound] = await Promise.all([
      newClient().post('/v1/predict', RARE),
      newClient().post('/v1/predict/batch', { requests: [PREDICT_REQUEST, RARE] }),
      newClient().post('/v1/predict/batch', { requests: Array(100).fill(PREDICT_REQUEST) }),
    ]);
    expect([single, batch, sound].map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(JSON.parse(String(single.body))).toMatchObject({ error: { code: 'internal_error' } });
    expect((await readMetrics(ops)).value('nurselog_workers_ready')).toBe(1);
    const shown = { NaN: 'NaN', rising: '0\\.6', aboveOne: '1\\.2' }[kind];
    await service.line(new RegExp(`the model gave survival ${shown}`));
  },
);

test.runIf(IS_LONG)(
  'a request whose model does not return times out, others are answered, and the process ends so that a new one starts',
  async () => {
    const environment = { SINGLE_SITES: 'workers', WORKERS: '2', REQUEST_TIMEOUT_MS: '1000' };
    const { service, reload, releases, newClient } = await startOnReleases(environment);
    await reload(2, () => releases.replaceModels({ trap: { kind: 'endless', above: 9999 } }));
    expect((await newClient().post('/v1/predict', RARE)).status).toBe(503);
    expect((await newClient().post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
    await service.line(/a worker did not return from a run within 4000 ms/);
    await service.line(/"level":60.*workers were lost and not replaced/);
    expect(await service.exit).toEqual({ code: null, signal: 'SIGKILL' });
  },
  60_000,
);

test.runIf(IS_LONG)(
  'a model that never returns is refused by name, at a reload after 60 s of CPU and at a start after 30 s',
  async () => {
    const { service, releases, newClient } = await startOnReleases();
    releases.put(2);
    const [file] = releases.replaceModels({ trap: { kind: 'endless', above: -1 } });
    service.signal('SIGHUP');
    const rejected = JSON.parse(await service.line(RELOAD_REJECTED)) as object;
    expect(rejected).toMatchObject({ file, problem: expect.stringContaining('SIGKILL (limit 60 s of CPU)') });
    expect((await newClient().post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);

    const next = new ServiceProcess(releases.environment);
    expect(await next.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(next.errors).toBe(`nurselog: ${file}: did not answer for grid points within 30 s\n`);
  },
  150_000,
);
