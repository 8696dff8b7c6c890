import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { eventually } from '../support/eventually.js';
import { exchangeAfterFirstRead } from '../support/exchanged-file.js';
import { HAS_PRLIMIT, limitOpenFiles } from '../support/prlimit.js';
import { releaseOf } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import {
  RELOAD_REJECTED,
  reloadedTo,
  servedVersion,
  startOnReleases,
} from '../support/service-on-releases.js';

test('a reload whose files change during the preflight is rejected, and the next SIGHUP serves them', async () => {
  const { releases, service, api } = await startOnReleases();
  const unchecked = releases.put(4);
  const manifest = readFileSync(releases.manifestFile);
  releases.put(2);
  exchangeAfterFirstRead(releases.manifestFile, manifest);
  service.signal('SIGHUP');
  const rejected = JSON.parse(await service.line(/"msg":"(reload rejected|models reloaded)/)) as object;
  expect(rejected).toMatchObject({
    level: 50,
    msg: expect.stringContaining('rejected'),
    problem: expect.stringMatching(`^files in ${releases.dataDir} or ${releases.modelDir} changed`),
  });
  expect(releaseOf(await servedVersion(api))).toBe(1);
  service.signal('SIGHUP');
  await service.line(reloadedTo(unchecked));
});

test.runIf(HAS_PRLIMIT)(
  'a reload whose preflight process cannot be started is rejected with the reason, and leaves no timer behind',
  async () => {
    const { service, ops, reload, newClient } = await startOnReleases();
    const timers = async () => Number(/Timeout"\} (\d+)/.exec((await readMetrics(ops)).text)![1]);
    const client = newClient();
    expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
    const before = await timers();
    limitOpenFiles(service.pid, 8);
    service.signal('SIGHUP');
    const rejected = JSON.parse(await service.line(RELOAD_REJECTED)) as object;
    expect(rejected).toMatchObject({
      level: 50,
      problem: expect.stringMatching(/^the preflight process could not be started: .*EMFILE$/),
    });
    expect(rejected).not.toHaveProperty('err');
    expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);

    limitOpenFiles(service.pid, 1024);
    await eventually(async () => expect(await timers()).toBeLessThanOrEqual(before));
    await reload(2);
    const reloads = (await readMetrics(ops)).text.match(/^nurselog_model_reload.*/gm);
    expect(reloads).toEqual([
      'nurselog_model_reloads_total{outcome="switched"} 1',
      'nurselog_model_reloads_total{outcome="refused"} 1',
      'nurselog_model_reload_refused 0',
    ]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
);
