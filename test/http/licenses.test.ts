import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const text = (file: string) => readFileSync(path.join(project, file), 'utf8');

/** Packages that the sources of the page import, without those that only give types. */
function importedByPage(): Set<string> {
  const sources = readdirSync(path.join(project, 'web/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => text(`web/src/${file}`));
  const imports = sources.flatMap((source) => [
    ...source.matchAll(/(?<!import type [^;]*)(?:from|import\(?) ?'((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  return new Set(imports.map(([, name]) => name!).filter((name) => name !== '@nurselog/client'));
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ EXPLORER: 'off' });
});
afterAll(() => service.stop());

test('the licences of all packages in the page and at /docs can be read there', async () => {
  const response = await service.get('/licenses.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const licenses = await response.text();
  const imported = importedByPage();
  expect(imported).toContain('maplibre-gl');
  expect(imported).toContain('preact');
  // MapLibre comes bundled: these are inside it.
  for (const name of [...imported, 'earcut', 'gl-matrix', 'us-atlas', 'world-atlas', 'swagger-ui-dist']) {
    const { version, license } = JSON.parse(text(`node_modules/${name}/package.json`));
    expect(licenses).toContain(`\n${name} ${version}, ${license}\n`);
  }
  expect(licenses).toContain(text('node_modules/maplibre-gl/LICENSE.txt').trim());
  expect(licenses).toContain(text('node_modules/swagger-ui-dist/NOTICE').trim());
});

test('the reference and the page link to the licences', async () => {
  expect(await (await service.get('/docs')).text()).toContain('href="licenses.txt"');
  expect(text('web/src/page/about-panel.tsx')).toContain('href="/licenses.txt"');
});
