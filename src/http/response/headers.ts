/** Headers of every response. By default no cache may keep it: a shared one does not know that X-API-Key identifies callers. */
export const DEFAULT_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

export const JSON_TYPE = 'application/json; charset=utf-8';
