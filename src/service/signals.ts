import { isatty } from 'node:tty';

const STDOUT = 1;

/** Receives SIGHUP from its construction on. A SIGHUP because the terminal was closed ends the process, as by default. */
export class ReloadSignal {
  #isPending = false;
  #reload = () => {
    this.#isPending = true;
  };

  constructor() {
    const hadTerminal = isatty(STDOUT);
    process.on('SIGHUP', () => {
      if (!hadTerminal || isatty(STDOUT)) return this.#reload();
      process.removeAllListeners('SIGHUP');
      process.kill(process.pid, 'SIGHUP');
    });
  }

  /** Calls back at every SIGHUP from now on, and now if one was received before. */
  onReload(reload: () => void): void {
    this.#reload = reload;
    if (this.#isPending) reload();
  }
}
