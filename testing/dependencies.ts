import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes the tables of docs/dependencies.md: npm run dependencies. */

const PAGE = 'docs/dependencies.md';
const project = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string) => readFileSync(path.join(project, file), 'utf8');

interface PackageFile {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Package {
  readonly versions: ReadonlySet<string>;
  readonly license?: string;
}

/** Direct dependencies from npm, in the locked versions. */
function npmPackages(): Map<string, Package> {
  const locked: Readonly<Record<string, PackageFile>> = JSON.parse(read('package-lock.json')).packages;
  const packages = new Map<string, Package>();
  for (const folder of ['', 'clients/typescript/']) {
    const { dependencies, devDependencies }: PackageFile = JSON.parse(read(`${folder}package.json`));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const { version, license } = locked[`${folder}node_modules/${name}`] ?? locked[`node_modules/${name}`]!;
      const versions = new Set(packages.get(name)?.versions).add(version);
      packages.set(name, { versions, license });
    }
  }
  return packages;
}

/** Names of packages in a file for pip, with their versions where the file pins them. */
function requirements(file: string): Map<string, string | undefined> {
  const lines = read(file).matchAll(/^([\w.-]+)(?:\[[^\]]*\])?(?:==(\S+))?/gm);
  return new Map([...lines].map(([, name, version]) => [name!, version]));
}

/** Direct dependencies of the wheel of the Python client: to build, to run, and its extras. */
function pythonClientPackages(): string[] {
  const lists = read('clients/python/pyproject.toml').matchAll(
    /^(?:requires|dependencies|pandas|polars|geo|raster|dask) = \[(.+)\]$/gm,
  );
  return [...lists].flatMap(([, list]) =>
    [...list!.matchAll(/"([\w.-]+?)(?:\[.*?\])?[<>=]/g)].map(([, name]) => name!),
  );
}

/** Direct dependencies from PyPI, in the pinned versions. */
function pypiPackages(): Map<string, Package> {
  const pinned = [
    {
      direct: [...requirements('clients/python/requirements-dev.in').keys(), ...pythonClientPackages()],
      file: 'clients/python/requirements-dev.txt',
    },
    { direct: requirements('pipeline/requirements.in').keys(), file: 'pipeline/requirements.txt' },
    { direct: requirements('bench/peer/requirements.txt').keys(), file: 'bench/peer/requirements.txt' },
    { direct: ['schemathesis'], file: 'test/security/schemathesis/requirements.txt' },
    { direct: requirements('.ci/deploy-tools.txt').keys(), file: '.ci/deploy-tools.txt' },
  ];
  const packages = new Map<string, Package>();
  for (const { direct, file } of pinned) {
    const versions = requirements(file);
    for (const name of direct) {
      const version = versions.get(name);
      if (version === undefined) throw new Error(`${file} does not pin ${name}`);
      packages.set(name, { versions: new Set(packages.get(name)?.versions).add(version) });
    }
  }
  return packages;
}

/** For PyPI a note is the licence, which no local file has, and the purpose; for npm the purpose. */
type Notes = Readonly<Record<string, Readonly<Record<string, string | readonly [string, string]>>>>;

function tables(registry: string, packages: Map<string, Package>, notes: Notes): string[] {
  const noted = Object.values(notes).flatMap((part) => Object.keys(part));
  const missing = [...packages.keys()].filter((name) => !noted.includes(name));
  if (missing.length > 0) throw new Error(`testing/dependency-notes.json lacks ${missing.join(', ')}`);
  return Object.entries(notes).flatMap(([part, notesOfPart]) => {
    const rows = Object.entries(notesOfPart).map(([name, note]) => {
      const found = packages.get(name);
      if (found === undefined)
        throw new Error(`testing/dependency-notes.json has ${name}, which nothing needs`);
      const [license, purpose] = typeof note === 'string' ? [found.license, note] : note;
      return `| \`${name}\` | ${[...found.versions].sort().join(', ')} | ${license} | ${purpose} |`;
    });
    return [
      '',
      `### ${part} (${registry})`,
      '',
      '| package | version | licence | purpose |',
      '|---|---|---|---|',
      ...rows,
    ];
  });
}

/** The page with the tables made from the package files and testing/dependency-notes.json. */
export function dependenciesPage(): string {
  const notes: Readonly<Record<'npm' | 'PyPI', Notes>> = JSON.parse(read('testing/dependency-notes.json'));
  const lines = [...tables('npm', npmPackages(), notes.npm), ...tables('PyPI', pypiPackages(), notes.PyPI)];
  return read(PAGE).replace(
    /(<!-- packages: [^\n]* -->\n).*(\n<!-- \/packages -->)/s,
    (_, begin: string, end: string) => `${begin}${lines.join('\n')}\n${end}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(path.join(project, PAGE), dependenciesPage());
