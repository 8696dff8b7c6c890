import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // onnxruntime's native library does not survive worker threads of the runner: forks only.
    pool: 'forks',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
