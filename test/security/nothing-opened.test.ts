import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '../../src');

/** Imports and calls that open files, processes or connections. */
const OPENS =
  /from 'node:(fs|fs\/promises|child_process|net|tls|dns|dgram|https|http2)'|\bfetch\(|\bhttp\.(get|request)\(/;

/** Modules that may open what the operator configures or the package contains. */
const OPENERS = [
  'accounts/store/sqlite.ts', // DATABASE_URL
  'cli/keys-commands.ts', // the operator's command
  'cli/run-keys.ts', // the same: whether the key store exists
  'control-groups.ts', // /proc and /sys: the limits of the container
  'http/routes/documents.ts', // files of Swagger UI and the licences, at the start
  'http/routes/page.ts', // files of the page, at the start
  'http/server/server.ts', // the listeners
  'output/write-output.ts', // standard output
  'prediction/artefacts/artefact-file.ts', // DATA_DIR and MODEL_DIR
  'service/resource-limits.ts', // /proc/self/limits
  'service/models/preflight.ts', // a process of the service itself
  'version.ts', // package.json
];

test('no module that reads requests opens a file, a process or a connection', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const found = files.filter((file) => {
    const statements = readFileSync(path.join(SOURCES, file), 'utf8').replaceAll(/^import type .*$/gm, '');
    return OPENS.test(statements);
  });
  expect(files.length).toBeGreaterThan(100);
  expect(found.toSorted()).toEqual(OPENERS.toSorted());
});
