import path from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { IS_LONG } from './test/support/length.js';

const SOURCES = path.join(import.meta.dirname, 'src');
const COMPILED = path.join(import.meta.dirname, 'dist');

/** Loads the compiled service where a test imports its source: worker threads and child processes run only JavaScript. */
const loadCompiledSources: Plugin = {
  name: 'load-compiled-sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), source);
    return file.startsWith(SOURCES + path.sep) ? file.replace(SOURCES, COMPILED) : undefined;
  },
};

/** Folders whose tests mostly wait for processes. */
const LONGEST = /\/test\/(reliability|service|deploy|accounts)\//;

/** Starts the files that take longest first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(LONGEST.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => isLong(b) - isLong(a));
  }
}

export default defineConfig({
  plugins: [loadCompiledSources],
  test: {
    // onnxruntime's native library does not survive worker threads of the runner: forks only.
    pool: 'forks',
    include: ['test/**/*.test.ts', 'clients/typescript/test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // The compiled service runs as it is.
    server: { deps: { external: [/\/dist\//] } },
    // Tests wait for processes more than they compute: with 150 %, a fifth of two cores was idle.
    maxWorkers: '200%',
    sequence: { sequencer: LongestFirst },
    // Waits end by events; these only bound them, also on a machine that is kept busy.
    testTimeout: IS_LONG ? 1_200_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});
