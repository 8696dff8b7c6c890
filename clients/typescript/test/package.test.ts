import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../../../test/support/service.js';

const run = promisify(execFile);
const packageFolder = path.join(import.meta.dirname, '..');
const modules = path.join(packageFolder, '../../node_modules');
const [first, many] = examplesOf(path.join(packageFolder, 'README.md'));
const [ofProject] = examplesOf(path.join(packageFolder, '../../README.md'));

function examplesOf(document: string): string[] {
  return [...readFileSync(document, 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
}

/** An empty project in which the packed client is installed. */
let folder: string;
const service = await sharedService();
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'nurselog-client-'));
  const installed = path.join(folder, 'node_modules/@nurselog/client');
  mkdirSync(installed, { recursive: true });
  const packing = run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: packageFolder });
  const packed = (await packing).stdout.trim().split('\n').at(-1)!;
  await run('tar', ['-xzf', path.join(folder, packed), '--strip-components=1'], { cwd: installed });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    cpSync(path.join(modules, name), path.join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'first.ts'), first);
  writeFileSync(path.join(folder, 'many.ts'), many);
  writeFileSync(path.join(folder, 'project.ts'), ofProject);
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    typeRoots: [path.join(modules, '@types')],
    types: ['node'],
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the package has compiled modules with their types, its README and its license, and nothing else', () => {
  const installed = path.join(folder, 'node_modules/@nurselog/client');
  expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const sources = readdirSync(path.join(packageFolder, 'src')).map((file) => path.parse(file).name);
  expect(readdirSync(path.join(installed, 'dist')).toSorted()).toEqual(
    sources.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).toSorted(),
  );
});

test('the examples of both READMEs compile with the types of the package, and print survival in Node', async () => {
  const compiler = path.join(packageFolder, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler], { cwd: folder }).catch(({ stdout }) => expect(stdout).toBe(''));
  const env = { ...process.env, NURSELOG_URL: service.apiUrl, NURSELOG_API_KEY: service.key };
  const one = await run(process.execPath, ['first.js'], { cwd: folder, env });
  expect(one.stdout).toMatch(/^1 0\.\d+\n3 0\.\d+\n5 0\.\d+\n$/);
  const other = await run(process.execPath, ['project.js'], { cwd: folder, env });
  expect(other.stdout).toMatch(/^0\.\d+\n$/);
  const all = await run(process.execPath, ['many.js'], { cwd: folder, env });
  expect(all.stdout).toMatch(/^A-17 0\.\d+\nA-18 .*coverage.*\n$/);
  expect(all.stderr).toBe('2 of 2 sites, 1 failed\n');
});
