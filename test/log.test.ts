import { spawnSync } from 'node:child_process';
import { format } from 'node:util';
import { expect, test } from 'vitest';
import { generateKey } from '../src/accounts/api-key.js';
import { createLog } from '../src/log.js';
import { LogLines } from './support/log-lines.js';

test('no line holds a key, whatever text or object of a library it quotes, and the rest of the line is as it was', () => {
  const key = generateKey();
  const lines = new LogLines();
  const log = createLog('trace', lines);
  const error = Object.assign(new Error(`cannot parse ${key}`, { cause: new Error(key.toUpperCase()) }), {
    url: `/v1/${key.replaceAll('_', '%5F')}?key=${key}`,
    headers: { 'x-api-key': key, [key]: [key] },
  });
  log.error({ err: error }, 'a failure');
  log.child({ owner: key }).warn('%s and %o', key, { key });
  log.info(format('%o', error));
  log.trace('nurse_live_0123… is not a key and stays');

  const text = JSON.stringify(lines.all);
  expect(text.toLowerCase()).not.toContain(key.slice(-32));
  expect(text).toContain(`cannot parse ${key.slice(0, 15)}…`);
  expect(lines.all.map(({ level }) => level)).toEqual([50, 40, 30, 10]);
  expect(lines.all.at(-1)).toMatchObject({ msg: 'nurse_live_0123… is not a key and stays' });
});

test('lines that wait are written at once: each write needs a turn of the event loop, and turns are long under load', () => {
  const script = `
    import fs from 'node:fs';
    import { createLog } from '${new URL('../dist/log.js', import.meta.url)}';
    const { write } = fs;
    let writes = 0;
    fs.write = (...given) => {
      writes++;
      return write(...given);
    };
    const log = createLog('info');
    for (let line = 0; line < 5000; line++) log.info('waits');
    log.flush(() => process.stderr.write(String(writes)));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(stdout.split('\n').filter((line) => line.endsWith('"msg":"waits"}'))).toHaveLength(5000);
  expect(Number(stderr)).toBeGreaterThan(0);
  expect(Number(stderr)).toBeLessThanOrEqual(2); // the first 8 KB, and all that was logged meanwhile
});
