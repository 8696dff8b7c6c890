import { createLog } from '../../../dist/log.js';

// A process that logs lines of a size when its parent says so, and then tells how many were dropped. It logs its exit, too.

const log = createLog('info');
const text = '.'.repeat(2 ** 20);
process.on('message', (lines) => {
  for (let line = 0; line < lines; line++) log.info({ text }, `line ${line}`);
  process.send(log.linesDropped());
});
process.on('exit', () => log.info('exit'));
