import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATA_FILES } from '../../src/prediction/artefacts/artefacts.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { EVEN_SPECIES, Releases, releaseOf } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { reloadedTo, servedVersion, startOnReleases } from '../support/service-on-releases.js';
import { ServiceProcess } from '../support/service-process.js';

const countOf = (service: ServiceProcess, message: string) =>
  service.output.filter((line) => line.includes(`"msg":"${message}`)).length;

describe('SIGHUP', () => {
  it('has the lists of species and regions, the metrics and new species follow', async () => {
    const { releases, api, ops, key, reload, newClient } = await startOnReleases();
    const client = newClient();
    const even = { ...PREDICT_REQUEST, species_code: EVEN_SPECIES.species_code };
    const speciesCount = async () => {
      const answer = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
      return ((await answer.json()) as { count: number }).count;
    };
    const before = await speciesCount();
    expect((await client.post('/v1/predict', even)).status).toBe(422);

    const version = await reload(2);
    expect(await speciesCount()).toBe(before + 1);
    expect((await client.post('/v1/predict', even)).status).toBe(200);
    const metrics = await readMetrics(ops);
    expect(metrics.text).toContain('\nnurselog_model_reloads_total{outcome="switched"} 1\n');
    const { codename, series } = releases.manifest;
    expect(metrics.text.match(/^nurselog_model_info\{.*/gm)).toEqual([
      expect.stringContaining(`{version="${version}",codename="${codename}",series="${series}",`),
    ]);
  });

  it('refuses what is missing, damaged or breaks the contract, names the file, and goes on as before', async () => {
    const { releases, service, api, ops, reload, newClient } = await startOnReleases();
    const client = newClient();
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
      while (countOf(service, 'reload rejected') <= index) await delay(10);
      const line = JSON.parse(service.output.findLast((it) => it.includes('"reload rejected'))!) as object;
      expect(line).toMatchObject({ level: 50, file, problem: expect.stringContaining(problem) });
      expect(releaseOf(await servedVersion(api))).toBe(1);
      expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
      expect((await fetch(`${ops}/readyz`)).status).toBe(200);
    }
    expect((await readMetrics(ops)).text).toContain(
      `\nnurselog_model_reloads_total{outcome="refused"} ${refusals.length}\n`,
    );

    const version = await reload(4);
    expect(await servedVersion(api)).toBe(version);
  });

  it('a release whose trial crashes is refused, and the service goes on', async () => {
    const { releases, service, api } = await startOnReleases();
    const version = releases.put(2);
    service.signal('SIGHUP');
    process.kill(await childOf(service.pid), 'SIGSEGV');
    expect(await service.line(/reload rejected/)).toContain('SIGSEGV');
    expect(releaseOf(await servedVersion(api))).toBe(1);
    service.signal('SIGHUP');
    await service.line(reloadedTo(version));
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
    const outcomes = () => countOf(service, 'models reloaded') + countOf(service, 'reload rejected');
    while (outcomes() < 2) await delay(10);
    expect(await servedVersion(api)).toBe(last);
    expect(childrenOf(service.pid)).toEqual([]);
  });

  it('during the start it reloads afterwards', async () => {
    const releases = new Releases();
    onTestFinished(() => releases.remove());
    const service = new ServiceProcess(releases.environment);
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
