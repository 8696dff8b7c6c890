import type { Admission } from '../../accounts/accounts.js';

const POLICY = '"daily"';
const WINDOW_SECONDS = 86_400;

/**
 * The headers that tell a caller of a limited tier where it stands; none for an unlimited tier.
 *
 * Structured fields of draft-ietf-httpapi-ratelimit-headers: `q` the quota, `w` the window in seconds, `r` the requests
 * left, `t` the seconds to the reset.
 */
export function rateLimitHeaders({ limit, remaining, secondsToReset }: Admission): Record<string, string> {
  if (limit === null) return {};
  return {
    'RateLimit-Policy': `${POLICY};q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `${POLICY};r=${remaining};t=${secondsToReset}`,
  };
}
