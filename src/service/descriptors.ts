import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors for what is not a caller's connection: files, the key store, a reload, connections just accepted. */
const RESERVED = 600;
/** Of few descriptors, the part that is reserved. */
const RESERVED_SHARE = 1 / 2;

/**
 * Bounds a number of connections by the descriptors that this process may still open, so that callers cannot take those
 * that the service itself needs. Where the system does not tell, the number stays.
 */
export function boundByDescriptors(connections: number): number {
  const free = freeDescriptors();
  return Math.max(1, Math.min(connections, Math.floor(free - Math.min(RESERVED, free * RESERVED_SHARE))));
}

function freeDescriptors(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined
      ? Number.POSITIVE_INFINITY
      : Number(limit) - readdirSync('/proc/self/fd').length;
  } catch {
    return Number.POSITIVE_INFINITY; // not Linux
  }
}
