import { isatty } from 'node:tty';

const STDOUT = 1;

/** Calls back at every SIGHUP that asks for a reload. One that says that the terminal is gone ends the process, as ever. */
export function onHangUp(reload: () => void): void {
  const hadTerminal = isatty(STDOUT);
  process.on('SIGHUP', () => {
    if (!hadTerminal || isatty(STDOUT)) return reload();
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  });
}
