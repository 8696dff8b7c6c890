import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/** Where Linux mounts the control groups (version 1, 2 or both), and the file that names those of this process. */
const MOUNTS = '/sys/fs/cgroup';
const MEMBERSHIP = '/proc/self/cgroup';

/**
 * The cores that this process may use: those of its affinity, fewer if a quota of its control groups allows less, as
 * `docker run --cpus` and CPUQuota= of systemd set it. Part of a core counts as one. Node reads quotas from 22.10 on.
 */
export function availableCores(mounts = MOUNTS, membership = MEMBERSHIP): number {
  const quotas = groupFolders('cpu', mounts, membership).flatMap((folder) => {
    const [quota, period] = (
      read(folder, 'cpu.max') ?? `${read(folder, 'cpu.cfs_quota_us')} ${read(folder, 'cpu.cfs_period_us')}`
    ).split(' ');
    const cores = Number(quota) / Number(period);
    return cores > 0 ? [Math.ceil(cores)] : []; // "max", or -1, without a quota
  });
  return Math.max(1, Math.min(availableParallelism(), ...quotas));
}

/**
 * The bytes beyond which Linux kills a process of these control groups; Infinity without a limit.
 * `process.constrainedMemory()` would return soft limits, too, such as the memory that a pod requests.
 */
export function memoryLimitBytes(mounts = MOUNTS, membership = MEMBERSHIP): number {
  const limits = groupFolders('memory', mounts, membership).map((folder) =>
    Number(read(folder, 'memory.max') ?? read(folder, 'memory.limit_in_bytes')),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...limits.filter((bytes) => bytes > 0));
}

/** The folders of this process's group and of those above it. A container may see only the topmost: its own. */
function groupFolders(controller: string, mounts: string, membership: string): string[] {
  const lines = (read(membership) ?? '').split('\n').map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line));
  return lines.flatMap((line) => {
    const [, controllers, group] = line ?? [];
    if (controllers === '') return [mounts, ...foldersBetween(mounts, group)];
    if (!controllers?.split(',').includes(controller)) return [];
    const mount = path.join(mounts, controller);
    return [mount, ...foldersBetween(mount, group)];
  });
}

function foldersBetween(mount: string, group: string): string[] {
  return group === '/' ? [] : [...foldersBetween(mount, path.dirname(group)), path.join(mount, group)];
}

function read(...file: string[]): string | undefined {
  try {
    return readFileSync(path.join(...file), 'utf8').trim();
  } catch {
    return undefined;
  }
}
