import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.js';

/** The environment of a service whose preflight processes stop at their start until they get SIGCONT. */
export const STOPPED_PREFLIGHT = {
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('./stop-preflight.mjs', import.meta.url))}`,
};

/** The processes that a process started, by id, with their state as `ps` shows it. */
export function childrenOf(pid: number): Map<number, string> {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  const processes = lines.map((line) => line.trim().split(/\s+/));
  return new Map(
    processes.filter(([parent]) => Number(parent) === pid).map(([, child, state]) => [Number(child), state!]),
  );
}

/** The id of a service's preflight process, once that has stopped itself. */
export function stoppedPreflight(pid: number): Promise<number> {
  return eventually(() => {
    const stopped = [...childrenOf(pid)].filter(([, state]) => state.startsWith('T'));
    expect(stopped).toHaveLength(1);
    return stopped[0]![0];
  });
}
