import { createHash, webcrypto } from 'node:crypto';

/** `Cache-Control` of a response. A shared cache would not know that X-API-Key identifies the caller. */
export const CACHE_CONTROL = {
  default: 'no-store',
  /** The catalogues, which change with a reload only. */
  catalogue: 'private, max-age=300',
  /** What may be cached, but must be revalidated with its ETag. */
  revalidated: 'private, no-cache',
  /** What is the same for everybody. */
  document: 'public, max-age=300',
  /** Files whose name changes with their content. */
  hashed: 'public, max-age=31536000, immutable',
  /** The page, which names the current files. */
  page: 'no-cache',
} as const;

export const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': CACHE_CONTROL.default,
} as const;

/** The policy of a page that loads only files of the service. @param own additional directives of the page */
export function contentSecurityPolicy(...own: readonly string[]): string {
  const files = "default-src 'none'; script-src 'self'; style-src 'self'";
  return [files, ...own, "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"].join('; ');
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A strong ETag that is derived from the values that identify a representation. */
export function strongETag(...identity: readonly unknown[]): string {
  return `"${createHash('sha256').update(JSON.stringify(identity)).digest('base64url')}"`;
}

/** A strong ETag that is derived from the bytes of a representation. */
export async function byteTag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await webcrypto.subtle.digest('SHA-256', bytes); // in a thread of libuv
  return `"${Buffer.from(digest).toString('base64url')}"`;
}

/** Whether the caller's copy is current: `If-None-Match` has this ETag, weak or strong (RFC 9110, 13.1.2). */
export function isCurrent(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === etag);
}
