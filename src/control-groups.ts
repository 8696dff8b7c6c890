import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/**
 * The cores that this process may use: those of its affinity, fewer if a quota of its control groups allows less, as
 * `docker run --cpus` and CPUQuota= of systemd set it. Part of a core counts as one. Node reads quotas from 22.10 on.
 * @param root contains `sys` and `proc`
 */
export function availableCores(root = '/'): number {
  const quotas = groupFolders('cpu', root).flatMap((folder) => {
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
export function memoryLimitBytes(root = '/'): number {
  const limits = groupFolders('memory', root).map((folder) =>
    Number(read(folder, 'memory.max') ?? read(folder, 'memory.limit_in_bytes')),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...limits.filter((bytes) => bytes > 0));
}

/**
 * The folders of this process's group and of those above it. Version 2 has one group for all controllers, unnamed.
 * A container may see only the topmost folder: its own.
 */
function groupFolders(controller: string, root: string): string[] {
  const memberships = (read(root, 'proc/self/cgroup') ?? '').matchAll(/^\d+:([^:\n]*):(\/.*)$/gm);
  return [...memberships].flatMap(([, controllers, group]) => {
    const name = ['', controller].find((each) => controllers.split(',').includes(each));
    return name === undefined ? [] : foldersUpTo(path.join(root, 'sys/fs/cgroup', name), group);
  });
}

function foldersUpTo(mount: string, group: string): string[] {
  return group === '/' ? [mount] : [...foldersUpTo(mount, path.dirname(group)), path.join(mount, group)];
}

function read(...file: string[]): string | undefined {
  try {
    return readFileSync(path.join(...file), 'utf8').trim();
  } catch {
    return undefined;
  }
}
