import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sha256Of } from '../../src/prediction/artefacts/artefact-file.js';
import { DATA_FILES } from '../../src/prediction/artefacts/artefacts.js';
import { csvOf } from '../http/support/tables.js';
import { collection, unit } from '../http/support/units.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { addIntervalModels } from '../prediction/support/interval-models.js';
import { starAround } from '../prediction/support/outlines.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { parseErrorBody } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { openSocket, readAnswer } from '../support/raw-http.js';
import { EVEN_CAUTION, EVEN_SPECIES, releaseOf } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import {
  RELOAD_REJECTED,
  reloadedTo,
  servedVersion,
  startOnReleases,
} from '../support/service-on-releases.js';
import { childrenOf, STOPPED_PREFLIGHT, stoppedPreflight } from './support/preflight.js';

test('after SIGHUP the lists of species and regions, the metrics and new species are those of the new release, and a table whose options it lacks is refused', async () => {
  const { releases, service, api, ops, key, reload, newClient } = await startOnReleases();
  const csv = csvOf([PREDICT_REQUEST]);
  const upload = await openSocket(api);
  upload.write(
    `POST /v1/predict/table?include=intervals HTTP/1.1\r\nHost: test\r\nX-API-Key: ${key}\r\nContent-Type: text/csv\r\n` +
      `Content-Length: ${csv.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await once(upload, 'data'); // asked for the body: the head was accepted
  const client = newClient();
  const even = { ...PREDICT_REQUEST, species_code: EVEN_SPECIES.species_code };
  const speciesCount = async () => {
    const answer = await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } });
    return ((await answer.json()) as { count: number }).count;
  };
  const readDocument = async () => (await fetch(`${api}/openapi.json`)).text();
  const before = await speciesCount();
  expect((await client.post('/v1/predict', even)).status).toBe(422);
  expect(await readDocument()).not.toContain(EVEN_CAUTION);

  const digestOfManifest = () => sha256Of(readFileSync(releases.manifestFile));
  const logged = (digest: string, message: string) =>
    new RegExp(`"model_digest":"${digest}","grid_digest":"[0-9a-f]{64}",.*"msg":"${message}"`);
  await service.line(logged(digestOfManifest(), 'ready'));
  const version = await reload(2);
  await service.line(logged(digestOfManifest(), 'models reloaded'));
  upload.write(csv);
  const { status, body } = await readAnswer(upload);
  const refusal = 'include cannot have intervals: the models of this service have none';
  expect({ status, error: parseErrorBody(body) }).toMatchObject({
    status: 422,
    error: { code: 'invalid_request', message: `The request is not valid: ${refusal}.` },
  });
  expect(await speciesCount()).toBe(before + 1);
  expect((await client.post('/v1/predict', even)).status).toBe(200);
  const { headers } = await fetch(`${api}/v1/predict/batch`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"requests":[]}',
  });
  expect(headers.get('model-outcomes')).toBe('observed');
  expect(await readDocument()).toContain(EVEN_CAUTION);
  const metrics = await readMetrics(ops);
  expect(metrics.text).toContain('\nnurselog_model_reloads_total{outcome="switched"} 1\n');
  const { codename, series } = releases.manifest;
  const digest = digestOfManifest();
  expect(metrics.text.match(/^nurselog_model_info\{.*/gm)).toEqual([
    expect.stringContaining(
      `{version="${version}",codename="${codename}",series="${series}",digest="${digest}",`,
    ),
  ]);
});

test('plans that are read while the models change are answered, from the models with which they began', async () => {
  const { releases, api, key, reload } = await startOnReleases();
  const units = collection(
    unit(
      1,
      starAround([-122, 44.1], 0.05, 10_000, () => 1),
    ),
  );
  const body = JSON.stringify({ units });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const versions = new Set<string>();
  let isReloaded = false;
  const callers = Array.from({ length: 3 }, async () => {
    while (!isReloaded) {
      const response = await fetch(`${api}/v1/plan`, { method: 'POST', headers, body });
      const plan = (await response.json()) as { model?: { version: string } };
      expect(plan).toMatchObject({ model: {} });
      versions.add(plan.model?.version ?? '');
    }
  });
  const former = await servedVersion(api);
  const version = await reload(2, () => addIntervalModels(releases));
  isReloaded = true;
  await Promise.all(callers);
  expect([...versions].filter((answered) => answered !== version)).toEqual([former]);
});

test('SIGHUP rejects files that are missing, damaged or break the contract, names them, and serves as before', async () => {
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
    if (index < 2) releases.updateModelDigests();
    service.signal('SIGHUP');
    const line = JSON.parse(await service.line(RELOAD_REJECTED, index + 1)) as object;
    expect(line).toMatchObject({ level: 50, file, problem: expect.stringContaining(problem) });
    expect(releaseOf(await servedVersion(api))).toBe(1);
    expect((await client.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
    expect((await fetch(`${ops}/readyz`)).status).toBe(200);
  }
  const { text } = await readMetrics(ops);
  expect(text).toContain(`\nnurselog_model_reloads_total{outcome="refused"} ${refusals.length}\n`);
  expect(text).toContain('\nnurselog_model_reload_refused 1\n'); // what NurselogModelRefused asks for

  const version = await reload(4);
  expect(await servedVersion(api)).toBe(version);
});

test('a release whose preflight crashes is rejected, and the next SIGHUP serves it', async () => {
  const { releases, service, api } = await startOnReleases(STOPPED_PREFLIGHT);
  const version = releases.put(2);
  service.signal('SIGHUP');
  const crashing = await stoppedPreflight(service.pid);
  process.kill(crashing, 'SIGSEGV');
  process.kill(crashing, 'SIGCONT');
  expect(await service.line(RELOAD_REJECTED)).toContain('SIGSEGV');
  expect(releaseOf(await servedVersion(api))).toBe(1);
  service.signal('SIGHUP');
  process.kill(await stoppedPreflight(service.pid), 'SIGCONT');
  await service.line(reloadedTo(version));
});

test('however many SIGHUPs arrive during a reload, one more reload serves the last release', async () => {
  const { releases, service, api } = await startOnReleases(STOPPED_PREFLIGHT);
  releases.put(2);
  service.signal('SIGHUP');
  const first = await stoppedPreflight(service.pid);
  const last = releases.put(3);
  for (let times = 0; times < 20; times++) {
    service.signal('SIGHUP');
    // Signals are handled before the answer, so that the system does not merge them.
    await servedVersion(api);
  }
  process.kill(first, 'SIGCONT');
  await service.line(/"msg":"models reloaded"/);
  process.kill(await stoppedPreflight(service.pid), 'SIGCONT');
  await service.line(/"msg":"models reloaded"/, 2);
  expect(await servedVersion(api)).toBe(last);
  expect(childrenOf(service.pid).size).toBe(0);
});

test('SIGTERM during a reload ends it, and a SIGHUP during the drain starts none', async () => {
  const { service, api } = await startOnReleases(STOPPED_PREFLIGHT);
  const unfinished = await openSocket(api);
  unfinished.write('GET /'); // the drain waits for the rest
  service.signal('SIGHUP');
  const stopped = await stoppedPreflight(service.pid);
  service.signal('SIGTERM');
  await service.line(/"msg":"draining"/);
  service.signal('SIGHUP');
  await service.line(/"msg":"models not reloaded/);
  await eventually(() => expect(() => process.kill(stopped, 0)).toThrow('ESRCH'));
  unfinished.destroy();
  expect(await service.exit).toEqual({ code: 0, signal: null });
  expect(service.output.join('\n')).not.toMatch(/"msg":"(models reloaded|reload rejected)/);
});
