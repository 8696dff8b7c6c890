import { readFileSync } from 'node:fs';

const EVERY_MS = 1;

/**
 * Watches the thread that it runs on, by its CPU time, which other processes do not change, and the memory of the process.
 * Linux.
 */
export class ThreadUsage {
  /** The longest time between two turns of the event loop, ms of CPU. */
  longestTurnMs = 0;
  #lastMs = cpuMs();
  readonly #timer = setInterval(() => this.#look(), EVERY_MS);

  /** Resets the measurement. @returns the highest memory of the process so far, bytes */
  begin(): number {
    this.longestTurnMs = 0;
    this.#lastMs = cpuMs();
    return highestBytes();
  }

  /** @returns the highest memory of the process so far, bytes */
  end(): number {
    this.#look();
    return highestBytes();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = cpuMs();
    this.longestTurnMs = Math.max(this.longestTurnMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
}

/** CPU time of this thread. */
function cpuMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
}

function highestBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
