import { execFileSync, spawnSync } from 'node:child_process';

/** Whether the command `prlimit` is there, which every Debian has. */
export const HAS_PRLIMIT = spawnSync('prlimit', ['--version']).error === undefined;

/** Sets how many files and sockets a running process may have open. What it has open stays open. */
export function limitOpenFiles(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
}
