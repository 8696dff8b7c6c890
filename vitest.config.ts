import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';
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

/** Folders whose tests mostly wait for processes or browsers. */
const LONGEST = /\/test\/(cli|page|service|deploy|accounts)\//;

/**
 * Starts the files with a process of their own first, since a shared process ends when the next file has its own, and
 * then those that take longest, so that none of them runs alone at the end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project: { name } }: TestSpecification) =>
      name === 'own process' ? 2 : Number(LONGEST.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => rank(b) - rank(a));
  }
}

/** Tests that measure or crash their process, or change what it shares. */
const OWN_PROCESS = [
  'test/reliability/**/*.test.ts',
  'test/work/{scheduler,scheduler-model,worker-pool}.test.ts',
  'test/service/service-phase.test.ts',
  'test/http/body-memory.test.ts',
  'test/security/{costly,mutated}-*.test.ts',
];

function project(name: string, options: TestProjectInlineConfiguration['test']) {
  return {
    plugins: [loadCompiledSources],
    test: {
      name,
      // onnxruntime's native library does not survive worker threads of the runner: forks only.
      pool: 'forks' as const,
      // The compiled service runs as it is.
      server: { deps: { external: [/\/dist\//] } },
      // Waits end by events; these only bound them, also on a machine that is kept busy.
      testTimeout: IS_LONG ? 1_200_000 : 300_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 100_000 } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts'],
    // Twice as many took as long: starts of services and browsers keep all cores busy.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      project('own process', { include: OWN_PROCESS }),
      // A process for many files saves a second of CPU for each: that of a fresh one, and of loading the service.
      project('shared process', {
        // Not `exclude`, which would replace what the command line excludes.
        include: ['{test,clients/typescript/test}/**/*.test.ts', ...OWN_PROCESS.map((glob) => `!${glob}`)],
        isolate: false,
      }),
    ],
  },
});
