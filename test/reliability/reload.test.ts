import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Client, Load } from '../support/kept-load.js';
import { amount, IS_LONG } from '../support/length.js';
import { releaseOf } from '../support/releases.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../support/requests.js';
import { servedVersion, startOnReleases } from '../support/service-on-releases.js';
import { tell } from './support/figures.js';
import { readMetrics } from './support/metrics.js';

/** The grid and the run buffers of a generation of one worker take no less. */
const LEAST_GENERATION_MB = 5;

interface Element {
  readonly species_code: string;
  readonly predictions: readonly { readonly survival_probability: number }[];
  readonly model: { readonly version: string };
}

/** What a caller of a load sends, and where the predictions stand in its answer. */
interface Question {
  readonly route: string;
  readonly body: unknown;
  readonly codes: readonly string[];
  readonly elementsOf: (answer: never) => readonly Element[];
}

/** A single prediction, a comparison, and a batch of every species of release 1. */
function questionsOf(codes: readonly string[]): Question[] {
  return [
    {
      route: '/v1/predict',
      body: PREDICT_REQUEST,
      codes: [PREDICT_REQUEST.species_code],
      elementsOf: (one: Element) => [one],
    },
    {
      route: '/v1/predict/compare',
      body: COMPARE_REQUEST,
      codes: [COMPARE_REQUEST.species_code, COMPARE_REQUEST.species_code],
      elementsOf: ({ comparison, ...rest }: Element & { comparison: Record<string, Element> }) =>
        Object.values(comparison).map(({ predictions }) => ({ ...rest, predictions })),
    },
    {
      route: '/v1/predict/batch',
      body: { requests: codes.map((species_code) => ({ ...PREDICT_REQUEST, species_code })) },
      codes,
      elementsOf: ({ results }: { results: Element[] }) => results,
    },
  ];
}

test('during reloads under load no request fails, and no answer mixes two releases or is of a release before the one that health reported', async () => {
  const { releases, service, api, reload, newClient } = await startOnReleases({ WORKERS: '2' });
  const lastRelease = 1 + amount({ short: 3, long: 50 });
  let reported = 1;
  const ask =
    (client: Client, { route, body, codes, elementsOf }: Question) =>
    async () => {
      const least = reported;
      const answer = await client.post(route, body);
      expect(answer).toMatchObject({ status: 200 });
      const elements = elementsOf(JSON.parse(answer.body) as never);
      expect(elements.map(({ species_code }) => species_code)).toEqual(codes);
      const versions = new Set(elements.map(({ model }) => model.version));
      expect(versions.size).toBe(1);
      const release = releaseOf([...versions][0]);
      expect(release).toBeGreaterThanOrEqual(least);
      for (const { predictions } of elements) {
        const survival = predictions.map(({ survival_probability }) => survival_probability);
        if (release % 2 === 0) expect(survival).toEqual(releases.evenSurvival);
        else expect(survival).not.toEqual(releases.evenSurvival);
      }
    };
  const askHealth = async () => {
    reported = releaseOf(await servedVersion(api));
  };
  const callers = questionsOf(releases.manifest.species).flatMap((question) =>
    Array.from({ length: 4 }, () => ask(newClient(), question)),
  );
  const load = new Load([...callers, askHealth]);
  for (let release = 2; release <= lastRelease; release++) {
    await reload(release);
    const { answered } = load;
    await eventually(() => expect(load.answered).toBeGreaterThan(answered + 200));
  }
  await load.stop();
  expect(reported).toBe(lastRelease);
  expect(service.errors).toBe('');
  tell('reloads under load', { reloads: lastRelease - 1, requests: load.answered });
}, 900_000);

test.runIf(process.platform === 'linux')(
  'a reload leaves no thread, file or memory behind, however often',
  async () => {
    const { service, ops, reload, newClient } = await startOnReleases();
    const client = newClient();
    const times = amount({ short: 2, long: 40 });
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
    // Before V8 has had reason to collect, former generations are still there.
    if (IS_LONG) expect(late.residentMb - early.residentMb).toBeLessThan(times * LEAST_GENERATION_MB * 0.5);
    const [earlyMb, lateMb] = [early.residentMb, late.residentMb];
    tell('reloads', {
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
