import path from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: { '@nurselog/client': path.join(import.meta.dirname, '../clients/typescript/src') },
  },
  build: {
    outDir: path.join(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    license: { fileName: 'bundled.json' }, // for licenses.mjs
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows no inline files
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000, // MapLibre is a megabyte
  },
});
