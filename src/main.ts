import { isatty } from 'node:tty';

const STDOUT = 1;

process.title = 'nurselog'; // in lists of processes

// Without a handler, SIGHUP ends the process. The other modules take most of a second to load: the handler comes first.
let isReloadPending = false;
let reload = () => {
  isReloadPending = true;
};
const hadTerminal = isatty(STDOUT);
process.on('SIGHUP', () => {
  if (!hadTerminal || isatty(STDOUT)) return reload();
  // The terminal was closed: the process ends, as by default.
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
});

const { run } = await import('./service/run.js');
reload = (await run()) ?? reload;
if (isReloadPending) reload();
