import path from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';

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

export default defineConfig({
  plugins: [loadCompiledSources],
  test: {
    // onnxruntime's native library does not survive worker threads of the runner: forks only.
    pool: 'forks',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
