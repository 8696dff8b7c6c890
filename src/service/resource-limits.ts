import { readdirSync, readFileSync } from 'node:fs';
import type { Config } from '../config.js';
import { memoryLimitBytes } from '../control-groups.js';
import { ExplainedError } from '../output/explained-error.js';

const MIB = 1024 * 1024;

/** The most memory of the process and of each worker without the cache and tables, with glibc as deploy/ sets it. */
const PROCESS_BYTES = 320 * MIB;
const WORKER_BYTES = 64 * MIB;
/** Memory for each byte of TABLE_MEMORY_BYTES: freed memory is not returned to the system at once. */
const TABLE_FACTOR = 2;

/**
 * Refuses a memory limit of the process's control group under which Linux would kill the process without a word once
 * enough tables are open.
 * @param limitBytes Infinity if there is none
 * @throws ExplainedError with the limit, the memory that the configuration may take, and what to change
 */
export function checkMemoryLimit(
  { workers, cacheBytes, tableMemoryBytes }: Config,
  limitBytes = memoryLimitBytes(),
): void {
  const baseBytes = PROCESS_BYTES + workers * WORKER_BYTES + cacheBytes;
  const neededBytes = baseBytes + TABLE_FACTOR * tableMemoryBytes;
  if (limitBytes >= neededBytes) return;
  const tableBytes = Math.floor((limitBytes - baseBytes) / TABLE_FACTOR / MIB) * MIB;
  const remedy = tableBytes > 0 ? `, or set TABLE_MEMORY_BYTES to at most ${tableBytes}` : '';
  throw new ExplainedError(
    `the memory limit of ${mebibytes(limitBytes)} is too small: up to ${mebibytes(neededBytes)} are needed, ` +
      `${mebibytes(baseBytes)} with WORKERS ${workers} and CACHE_BYTES ${cacheBytes}, and ${TABLE_FACTOR} times ` +
      `TABLE_MEMORY_BYTES ${tableMemoryBytes}; raise the limit${remedy}`,
  );
}

const mebibytes = (bytes: number) => `${Math.floor(bytes / MIB)} MiB`;

/**
 * Descriptors kept for everything but callers' connections: files, the key store, a reload, newly accepted connections.
 * Half of the free descriptors are kept if that is less.
 */
const RESERVED = 600;

/**
 * Bounds a number of connections by the descriptors that this process may still open, so that callers cannot use up those
 * that the service itself needs. Without /proc (not Linux) the number is returned unchanged.
 */
export function boundByDescriptors(connections: number): number {
  const free = freeDescriptors();
  return Math.max(1, Math.min(connections, Math.floor(free - Math.min(RESERVED, free / 2))));
}

function freeDescriptors(): number {
  try {
    const limits = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(limits?.[1] ?? Number.POSITIVE_INFINITY) - readdirSync('/proc/self/fd').length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
