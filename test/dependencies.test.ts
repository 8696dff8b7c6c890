import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const project = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string) => readFileSync(path.join(project, file), 'utf8');

interface PackageFile {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface LockedPackage extends PackageFile {
  readonly dev?: true;
  readonly link?: true;
}

const packageFile = (file: string): PackageFile => JSON.parse(read(file));
const service = packageFile('package.json');
const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;

/** Name, registry, versions and licence of each row of the table of docs/dependencies.md. */
const rows = [...read('docs/dependencies.md').matchAll(/^\| `(.+?)` \|(.+)\|$/gm)].map(([, name, rest]) => {
  const [registry, , , versions, , , license] = rest!.split('|').map((cell) => cell.trim());
  return {
    name,
    registry,
    versions: versions!
      .replaceAll(/ \(.*?\)/g, '')
      .split(', ')
      .toSorted(),
    license,
  };
});
const rowsOf = (registry: string) =>
  rows
    .filter((row) => row.registry === registry)
    .map(({ registry: _, ...row }) => row)
    .toSorted((a, b) => (a.name! < b.name! ? -1 : 1));

/** Names of packages in a file for pip; versions, too, where it has them. */
function requirements(file: string): Map<string, string | undefined> {
  const lines = read(file).matchAll(/^([\w.-]+)(?:\[[^\]]*\])?(?:==(\S+))?/gm);
  return new Map([...lines].map(([, name, version]) => [name!, version]));
}

test('docs/dependencies.md lists the direct dependencies from npm with their versions and licences', () => {
  const direct = ['', 'clients/typescript/'].flatMap((folder) => {
    const { dependencies, devDependencies } = packageFile(`${folder}package.json`);
    return Object.keys({ ...dependencies, ...devDependencies }).map((name) => {
      const own = `${folder}node_modules/${name}`;
      return [name, packageFile(`${own in locked ? own : `node_modules/${name}`}/package.json`)] as const;
    });
  });
  const names = [...new Set(direct.map(([name]) => name))].toSorted();
  const expected = names.map((name) => {
    const installed = direct.filter(([other]) => other === name).map(([, file]) => file);
    const versions = [...new Set(installed.map(({ version }) => version))].toSorted();
    return { name, versions, license: installed[0]!.license };
  });
  expect(rowsOf('npm')).toEqual(expected);
});

test('docs/dependencies.md lists the direct dependencies from PyPI with the versions that are pinned', () => {
  const client = read('clients/python/pyproject.toml');
  const lists = [...client.matchAll(/^(?:requires|dependencies|pandas|polars|geo|dask) = \[(.+)\]$/gm)];
  const ofClient = lists.flatMap(([, list]) =>
    [...list!.matchAll(/"([\w.-]+?)(?:\[.*?\])?[<>=]/g)].map(([, name]) => name!),
  );
  expect(ofClient).toContain('httpx');
  const pinned = [
    {
      direct: [...requirements('clients/python/requirements-dev.in').keys(), ...ofClient],
      in: 'clients/python/requirements-dev.txt',
    },
    { direct: [...requirements('pipeline/requirements.in').keys()], in: 'pipeline/requirements.txt' },
    { direct: [...requirements('bench/peer/requirements.txt').keys()], in: 'bench/peer/requirements.txt' },
    { direct: ['schemathesis'], in: 'test/security/schemathesis/requirements.txt' },
    { direct: [...requirements('.ci/deploy-tools.txt').keys()], in: '.ci/deploy-tools.txt' },
  ];
  const versionsOf = new Map<string, Set<string>>();
  for (const { direct, in: file } of pinned) {
    const versions = requirements(file);
    for (const name of direct) {
      versionsOf.set(name, (versionsOf.get(name) ?? new Set()).add(versions.get(name)!));
    }
  }
  const expected = [...versionsOf].map(([name, versions]) => ({ name, versions: [...versions].toSorted() }));
  expect(rowsOf('PyPI').map(({ name, versions }) => ({ name, versions }))).toEqual(
    expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
});

test('no dependency of the service is left out where those of its developers are', () => {
  const names = Object.keys(service.dependencies!);
  expect(names).toContain('fastify');
  expect(names.filter((name) => locked[`node_modules/${name}`]?.dev)).toEqual([]);
  expect(names.filter((name) => name in service.devDependencies!)).toEqual([]);
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
