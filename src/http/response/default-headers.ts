/** Headers of every answer. A shared cache does not know that X-API-Key tells callers apart. */
export const ANSWER_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;
