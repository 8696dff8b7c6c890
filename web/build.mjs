import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { licensesOf } from './licenses.mjs';

/** Builds the pages into dist/web, with compressed copies of the assets. Does nothing if the sources have not changed. */

const project = path.join(import.meta.dirname, '..');
const output = path.join(project, 'dist/web');
const stamp = path.join(output, '.sources');

/** The files that the page is built from. */
const sources = ['web', 'clients/typescript/src']
  .flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  )
  .concat(path.join(project, 'package-lock.json'))
  .toSorted();
const hash = createHash('sha256');
for (const file of sources) hash.update(path.relative(project, file)).update('\0').update(readFileSync(file));
const digest = hash.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  process.env.NODE_ENV = 'production'; // Vite keeps the value of the caller, which is `test` under Vitest
  const { build } = await import('vite');
  await build({ configFile: path.join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' });
  const assets = path.join(output, 'assets');
  for (const name of readdirSync(assets)) {
    if (name.endsWith('.pmtiles')) continue; // tiles are compressed already, and read by HTTP range
    const file = path.join(assets, name);
    const body = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
    );
  }
  const list = path.join(output, 'bundled.json');
  const bundled = JSON.parse(readFileSync(list, 'utf8')).map(({ name }) => name);
  writeFileSync(path.join(output, 'licenses.txt'), licensesOf(bundled));
  rmSync(list);
  writeFileSync(stamp, digest);
}
