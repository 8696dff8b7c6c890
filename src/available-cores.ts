import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/**
 * The cores that this process may use: those of its affinity, fewer if a quota of its control groups (version 1 or 2) allows
 * less, as `docker run --cpus` and CPUQuota= of systemd set it. Part of a core counts as one. Node reads quotas from 22.10 on.
 * @param mounts the folder of the control groups
 * @param membership the file that names the groups of this process
 */
export function availableCores(mounts = '/sys/fs/cgroup', membership = '/proc/self/cgroup'): number {
  const quotas = read(membership)
    .split('\n')
    .flatMap((line) => {
      const [, controllers, group] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
      if (controllers === '') return quotasAbove(mounts, group);
      return controllers?.split(',').includes('cpu') ? quotasAbove(path.join(mounts, 'cpu'), group) : [];
    });
  return Math.max(1, Math.min(availableParallelism(), ...quotas.map(Math.ceil)));
}

/** The quotas of a group and of each group above it, in cores. A container may see only the topmost: its own. */
function quotasAbove(mount: string, group: string): number[] {
  const folder = path.join(mount, group);
  const [quota, period] = (
    read(path.join(folder, 'cpu.max')) ||
    `${read(path.join(folder, 'cpu.cfs_quota_us'))} ${read(path.join(folder, 'cpu.cfs_period_us'))}`
  ).split(/\s+/);
  const cores = Number(quota) / Number(period); // not a number, or below 0, without a quota
  return [...(cores > 0 ? [cores] : []), ...(group === '/' ? [] : quotasAbove(mount, path.dirname(group)))];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
