import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATA_FILES } from '../../src/prediction/artefacts.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess } from '../support/service-process.js';
import { Client, Load } from './support/load.js';
import { EVEN_SPECIES, Releases, releaseOf } from './support/releases.js';

interface Element {
  readonly species_code: string;
  readonly predictions: readonly { readonly survival_probability: number }[];
  readonly model: { readonly version: string };
}

/** A service on release 1 of folders of its own, and a client of it. */
async function startOnReleases(environment: Record<string, string> = {}) {
  const releases = new Releases();
  onTestFinished(() => releases.remove());
  releases.put(1);
  const { dataDir: DATA_DIR, modelDir: MODEL_DIR } = releases;
  const service = new ServiceProcess({ DATA_DIR, MODEL_DIR, ...environment });
  const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
  const client = new Client(api, key);
  onTestFinished(() => client.close());
  return { releases, service, api, ops, key, client };
}

const reloaded = (version: string) => new RegExp(`"model":"${version}".*"msg":"models reloaded"`);
const countOf = (service: ServiceProcess, message: string) =>
  service.output.filter((line) => line.includes(`"msg":"${message}`)).length;

async function servedVersion(api: string): Promise<string> {
  const health = (await (await fetch(`${api}/v1/health`)).json()) as Element;
  return health.model.version;
}

/** The value of a series of /metrics. */
async function metric(ops: string, series: string): Promise<number> {
  const text = await (await fetch(`${ops}/metrics`)).text();
  const line = text.split('\n').find((it) => it.startsWith(`${series} `));
  if (line === undefined) throw new Error(`/metrics has no ${series}`);
  return Number(line.slice(series.length));
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

describe('SIGHUP', () => {
  it('under load: no request fails, no answer mixes two releases or is of one before that told by health', async () => {
    const { releases, service, api, key } = await startOnReleases({ WORKERS: '2' });
    let told = 1;
    const ask =
      (client: Client, { route, body, codes, elementsOf }: Question) =>
      async () => {
        const least = told;
        const answer = await client.post(route, body);
        expect(answer).toMatchObject({ status: 200 });
        const elements = elementsOf(JSON.parse(answer.body) as never);
        expect(elements.map(({ species_code }) => species_code)).toEqual(codes);
        const versions = new Set(elements.map(({ model }) => model.version));
        expect(versions.size).toBe(1);
        const release = releaseOf([...versions][0]!);
        expect(release).toBeGreaterThanOrEqual(least);
        for (const { predictions } of elements) {
          const survival = predictions.map(({ survival_probability }) => survival_probability);
          if (release % 2 === 0) expect(survival).toEqual(releases.evenSurvival);
          else expect(survival).not.toEqual(releases.evenSurvival);
        }
      };
    const askHealth = async () => {
      told = releaseOf(await servedVersion(api));
    };
    const callers = questionsOf(releases.manifest.species).flatMap((question) =>
      Array.from({ length: 4 }, () => {
        const client = new Client(api, key);
        onTestFinished(() => client.close());
        return ask(client, question);
      }),
    );
    const load = new Load([...callers, askHealth]);
    for (let release = 2; release <= 7; release++) {
      const version = releases.put(release);
      service.signal('SIGHUP');
      await service.line(reloaded(version));
      const { answered } = load;
      while (load.answered < answered + 200) await delay(10);
    }
    await load.stop();
    expect(told).toBe(7);
    expect(service.errors).toBe('');
  });

  it('has the lists of species and regions, the metrics and new species follow', async () => {
    const { releases, service, api, ops, key, client } = await startOnReleases();
    const even = { ...PREDICT_REQUEST, species_code: EVEN_SPECIES.species_code };
    const speciesCount = async () => {
      const answer = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
      return ((await answer.json()) as { count: number }).count;
    };
    const before = await speciesCount();
    expect((await client.post('/v1/predict', even)).status).toBe(422);

    const version = releases.put(2);
    service.signal('SIGHUP');
    await service.line(reloaded(version));
    expect(await speciesCount()).toBe(before + 1);
    expect((await client.post('/v1/predict', even)).status).toBe(200);
    expect(await metric(ops, 'nurselog_model_reloads_total{outcome="switched"}')).toBe(1);
    const { codename, series } = releases.manifest;
    const metrics = await (await fetch(`${ops}/metrics`)).text();
    expect(metrics.match(/^nurselog_model_info\{.*/gm)).toEqual([
      expect.stringContaining(`{version="${version}",codename="${codename}",series="${series}",`),
    ]);
  });

  it('refuses what is missing, damaged or breaks the contract, names the file, and goes on as before', async () => {
    const { releases, service, api, ops, client } = await startOnReleases();
    const manual = path.join(releases.modelDir, releases.manifest.methods.manual.file);
    const sound = soundModel(releases.manifest.features.length);
    const refusals: [file: string, problem: string, damage: () => void][] = [
      [manual, 'onnxruntime cannot load it', () => writeFileSync(manual, 'no model')],
      [
        manual,
        'survival',
        () => writeFileSync(manual, encodeConstantModel({ ...sound, survival: [0.1, 0.2, 0.3] })),
      ],
      [
        releases.manifestFile,
        'species are not those',
        () => releases.editManifest(({ species }) => species.reverse()),
      ],
      [
        path.join(releases.dataDir, DATA_FILES.grid),
        'SHA-256',
        () => writeFileSync(path.join(releases.dataDir, DATA_FILES.grid), 'no grid'),
      ],
      [releases.manifestFile, 'missing', () => rmSync(releases.modelDir, { recursive: true })],
    ];
    for (const [index, [file, problem, damage]] of refusals.entries()) {
      releases.put(3);
      damage();
      if (index < 2) releases.vouchForModels();
      service.signal('SIGHUP');
      while (countOf(service, 'models refused') <= index) await delay(10);
      const line = JSON.parse(service.output.findLast((it) => it.includes('"models refused'))!) as object;
      expect(line).toMatchObject({ level: 50, file, problem: expect.stringContaining(problem) });
      expect(releaseOf(await servedVersion(api))).toBe(1);
      expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
      expect((await fetch(`${ops}/readyz`)).status).toBe(200);
    }
    expect(await metric(ops, 'nurselog_model_reloads_total{outcome="refused"}')).toBe(refusals.length);

    const version = releases.put(4);
    service.signal('SIGHUP');
    await service.line(reloaded(version));
    expect(await servedVersion(api)).toBe(version);
  });

  it('a release whose trial crashes is refused, and the service goes on', async () => {
    const { releases, service, api } = await startOnReleases();
    const version = releases.put(2);
    service.signal('SIGHUP');
    process.kill(await childOf(service.pid), 'SIGSEGV');
    expect(await service.line(/models refused/)).toContain('SIGSEGV');
    expect(releaseOf(await servedVersion(api))).toBe(1);
    service.signal('SIGHUP');
    await service.line(reloaded(version));
  });

  it('however often it comes during a reload, the last release is served after one more', async () => {
    const { releases, service, api } = await startOnReleases();
    releases.put(2);
    service.signal('SIGHUP');
    const rehearsal = await childOf(service.pid);
    process.kill(rehearsal, 'SIGSTOP');
    const last = releases.put(3);
    for (let times = 0; times < 20; times++) {
      service.signal('SIGHUP');
      await delay(2);
    }
    process.kill(rehearsal, 'SIGCONT');
    // The first may have read files of both.
    const outcomes = () => countOf(service, 'models reloaded') + countOf(service, 'models refused');
    while (outcomes() < 2) await delay(10);
    expect(await servedVersion(api)).toBe(last);
    expect(childrenOf(service.pid)).toEqual([]);
  });

  it('during the start it reloads afterwards', async () => {
    const releases = new Releases();
    onTestFinished(() => releases.remove());
    const service = new ServiceProcess({ DATA_DIR: releases.dataDir, MODEL_DIR: releases.modelDir });
    await service.line(/"msg":"Server listening/);
    service.signal('SIGHUP');
    await service.ready();
    await service.line(/"msg":"models reloaded"/);
  });

  it('during the drain it changes nothing, and an end during a reload is an end', async () => {
    const { service } = await startOnReleases({ DRAIN_DELAY_MS: '500' });
    service.signal('SIGHUP');
    const rehearsal = await childOf(service.pid);
    process.kill(rehearsal, 'SIGSTOP');
    service.signal('SIGTERM');
    await service.line(/"msg":"draining"/);
    service.signal('SIGHUP');
    await service.line(/"msg":"models not reloaded/);
    expect(await service.exit).toEqual({ code: 0, signal: null });
    expect(() => process.kill(rehearsal, 0)).toThrow('ESRCH');
    expect(countOf(service, 'models re')).toBe(0);
  });

  it.runIf(process.platform === 'linux')('leaves no thread, file or memory behind, 20 times', async () => {
    const { releases, service, ops, key, api } = await startOnReleases();
    const client = new Client(api, key);
    onTestFinished(() => client.close());
    const load = new Load([
      async () => {
        expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
      },
    ]);
    const reloadTimes = async (first: number, times: number) => {
      for (let release = first; release < first + times; release++) {
        const version = releases.put(release);
        service.signal('SIGHUP');
        await service.line(reloaded(version));
      }
      // The former workers end a moment after the switch.
      while (threadsOf(service.pid) > threads) await delay(10);
      return {
        files: readdirSync(`/proc/${service.pid}/fd`).length,
        residentBytes: await metric(ops, 'process_resident_memory_bytes'),
      };
    };
    const threads = threadsOf(service.pid);
    const early = await reloadTimes(2, 8);
    const late = await reloadTimes(10, 12);
    await load.stop();
    expect(late.files).toBeLessThanOrEqual(early.files + 2);
    // One generation that stayed would be 5 MiB at least.
    expect(late.residentBytes - early.residentBytes).toBeLessThan(12 * 5 * 1024 * 1024 * 0.5);
  });
});

/** The ids of the processes that a process started. */
function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([parent, child]) => (parent === pid ? [child!] : []));
}

/** The first process that a process starts. */
async function childOf(pid: number): Promise<number> {
  for (;;) {
    const [child] = childrenOf(pid);
    if (child !== undefined) return child;
    await delay(1);
  }
}

function threadsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}
