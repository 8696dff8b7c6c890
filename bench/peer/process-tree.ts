import { readdirSync, readFileSync } from 'node:fs';
import type { Usage } from '../servers/server.js';

/** The unit in which Linux reports CPU time, on every kernel (USER_HZ). */
const TICKS_PER_SECOND = 100;

// Fields of /proc/PID/stat, counted from the state after the name in parentheses; see proc_pid_stat(5).
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/**
 * CPU time and memory of a process and its children, from Linux's /proc. Memory is the proportional set size: a page that
 * several of them share is counted once.
 */
export function processTreeUsage(pid: number): Usage {
  let ticks = 0;
  let residentBytes = 0;
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (fields === undefined || (Number(name) !== pid && Number(fields[PARENT]) !== pid)) continue;
    ticks += Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${name}/smaps_rollup`, 'utf8'))!;
    residentBytes += Number(kilobytes) * 1024;
  }
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentBytes };
}

/** The fields of a process after its name; undefined if it ended meanwhile. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
