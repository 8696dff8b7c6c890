import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dependenciesPage } from '../testing/dependencies.js';

const project = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string) => readFileSync(path.join(project, file), 'utf8');

interface LockedPackage {
  readonly version: string;
  readonly dev?: true;
  readonly link?: true;
}

const service: Readonly<Record<'dependencies' | 'devDependencies', object>> = JSON.parse(
  read('package.json'),
);
const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;

test('docs/dependencies.md equals what `npm run dependencies` generates from the package files', () => {
  expect(read('docs/dependencies.md')).toBe(dependenciesPage());
});

test('no dependency of the service is marked as a development dependency', () => {
  const names = Object.keys(service.dependencies);
  expect(names).toContain('fastify');
  expect(names.filter((name) => locked[`node_modules/${name}`]?.dev)).toEqual([]);
  expect(names.filter((name) => name in service.devDependencies)).toEqual([]);
});

test('the bill of materials of npm names every package of the lock file, with its hash and what it depends on', () => {
  const command = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const output = execFileSync('npm', command, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
  const bill = JSON.parse(output.toString());
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.[5-9]$/) });
  const components: { purl: string; hashes?: unknown[]; 'bom-ref': string }[] = bill.components;
  const named = new Map(
    components.map(({ purl, hashes }) => [decodeURIComponent(purl), hashes?.length ?? 0]),
  );
  const packages = Object.entries(locked).filter(
    ([place, { link }]) => /node_modules\//.test(place) && !link,
  );
  expect(packages.length).toBeGreaterThan(300);
  const missing = packages
    .map(([place, { version }]) => `pkg:npm/${place.replace(/.*node_modules\//, '')}@${version}`)
    .filter((purl) => !named.get(purl));
  expect(missing).toEqual([]);

  const references = new Set(components.map((component) => component['bom-ref']));
  const dependsOn: string[] = bill.dependencies.flatMap(
    ({ dependsOn }: { dependsOn: string[] }) => dependsOn,
  );
  expect(dependsOn.filter((reference) => !references.has(reference))).toEqual([]);
});
