import { createHash } from 'node:crypto';

/** A strong ETag for what is identified by some values: another for any other values. */
export function strongETag(...identity: readonly unknown[]): string {
  return `"${createHash('sha256').update(JSON.stringify(identity)).digest('base64url')}"`;
}

/**
 * Whether a caller has the current representation already: its ETag is in `If-None-Match`, compared as RFC 9110 (13.1.2)
 * has it, where weak and strong ones are equal.
 */
export function isCurrent(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === etag);
}
