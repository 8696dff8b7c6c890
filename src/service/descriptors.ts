import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors kept for everything but callers' connections: files, the key store, a reload, newly accepted connections. */
const RESERVED = 600;
/** The share that is kept if there are few descriptors. */
const RESERVED_SHARE = 1 / 2;

/**
 * Bounds a number of connections by the descriptors that this process may still open, so that callers cannot use up those
 * that the service itself needs. Without /proc (not Linux) the number is returned unchanged.
 */
export function boundByDescriptors(connections: number): number {
  const free = freeDescriptors();
  return Math.max(1, Math.min(connections, Math.floor(free - Math.min(RESERVED, free * RESERVED_SHARE))));
}

function freeDescriptors(): number {
  try {
    const limits = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(limits?.[1] ?? Number.POSITIVE_INFINITY) - readdirSync('/proc/self/fd').length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
