import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addIntervalModels } from '../prediction/support/interval-models.js';
import { eventually } from '../support/eventually.js';
import { type Client, Load } from '../support/kept-load.js';
import { amount, IS_LONG } from '../support/length.js';
import { releaseOf } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { servedVersion, startOnReleases } from '../support/service-on-releases.js';
import { reportFigures } from './support/figures.js';
import { readMetrics } from './support/metrics.js';
import { askForAll, readWhole } from './support/mixed-load.js';
import { HYPHA_SIZES, type MixedRequest, mixedRequests } from './support/mixed-requests.js';

/** The grid and the run buffers of a generation of one worker take no less. */
const MIN_GENERATION_MB = 5;

const MIX = mixedRequests(HYPHA_SIZES);
const VERSIONS = /"version":"(\w+)"/g;

test('during reloads under load no request fails, and no answer mixes two releases or is of a release before the one that health reported', async () => {
  const { releases, service, api, key, reload, newClient } = await startOnReleases({ WORKERS: '2' });
  const lastRelease = 2 + amount({ short: 2, long: 50 });
  // The answers of odd releases, then those of even ones, which need interval graphs that know their species.
  const odd = await askForAll({ api, key }, MIX);
  await reload(2, () => addIntervalModels(releases));
  const even = await askForAll({ api, key }, MIX);
  let reported = 2;
  const answered = new Map<string, number>();
  const ask = (client: Client, request: MixedRequest) => async () => {
    const least = reported;
    const { status, headers, body } = await client.send(request);
    expect({ status, error: status === 200 ? '' : body.toString() }).toEqual({ status: 200, error: '' });
    const answer = readWhole(request, body);
    const isEven = answer === even.get(request);
    expect(isEven || answer === odd.get(request), `${request.name} is of one release`).toBe(true);
    if (headers['model-outcomes'] !== undefined)
      expect(headers['model-outcomes']).toBe(isEven ? 'observed' : 'simulated');
    const versions = new Set(
      Array.from(body.toString('latin1').matchAll(VERSIONS), ([, version]) => version!),
    );
    expect(versions.size).toBeLessThanOrEqual(1);
    for (const version of versions) {
      expect(releaseOf(version) % 2 === 0).toBe(isEven);
      expect(releaseOf(version)).toBeGreaterThanOrEqual(least);
    }
    answered.set(request.name, (answered.get(request.name) ?? 0) + 1);
  };
  const askHealth = async () => {
    reported = releaseOf(await servedVersion(api));
  };
  const load = new Load([...MIX.map((request) => ask(newClient(), request)), askHealth]);
  for (let release = 3; release <= lastRelease; release++) {
    await reload(release, () => {
      if (release % 2 === 0) addIntervalModels(releases);
    });
    const { answered } = load;
    await eventually(() => expect(load.answered).toBeGreaterThan(answered + 50));
  }
  await load.stop();
  expect(reported).toBe(lastRelease);
  expect(service.errors).toBe('');
  reportFigures('reloads under load', {
    reloads: lastRelease - 2,
    requests: load.answered,
    ...Object.fromEntries(answered),
  });
}, 1_800_000);

test.runIf(process.platform === 'linux')(
  'a reload leaves no thread, file or memory behind, however often',
  async () => {
    const { service, ops, reload, newClient } = await startOnReleases();
    const client = newClient();
    const times = amount({ short: 1, long: 40 });
    const load = new Load([
      async () => {
        expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
      },
    ]);
    const reloadFrom = async (first: number) => {
      for (let release = first; release < first + times; release++) await reload(release);
      // The former workers end a moment after the switch.
      await eventually(() => expect(threadsOf(service.pid)).toBeLessThanOrEqual(threads));
      return {
        files: readdirSync(`/proc/${service.pid}/fd`).length,
        residentMb: (await readMetrics(ops)).residentMb,
      };
    };
    const threads = threadsOf(service.pid);
    const early = await reloadFrom(2);
    const late = await reloadFrom(2 + times);
    await load.stop();
    expect(late.files).toBeLessThanOrEqual(early.files + 2);
    // Earlier generations stay in memory until V8 collects garbage.
    if (IS_LONG) expect(late.residentMb - early.residentMb).toBeLessThan(times * MIN_GENERATION_MB * 0.5);
    const [earlyMb, lateMb] = [early.residentMb, late.residentMb];
    reportFigures('reloads', {
      first: times,
      'resident MB after them': earlyMb,
      more: times,
      'resident MB after all': lateMb,
    });
  },
  900_000,
);

function threadsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}
