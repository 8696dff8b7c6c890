import { LARGEST_BATCH_SITES } from '../config.js';

interface TierLimits {
  /** Requests admitted per UTC day; `null` is unlimited (still metered). */
  readonly requestsPerDay: number | null;
  readonly sitesPerBatch: number;
  readonly pointsPerSurface: number;
  /** Whether TABLE_LIMIT_ROWS, TABLE_LIMIT_BYTES and PLAN_LIMIT_BYTES apply; otherwise the limits of batches. */
  readonly hasLargeBodies: boolean;
}

/** The tiers and their limits: the only definition of these numbers. */
export const TIERS = {
  spore: { requestsPerDay: 100, sitesPerBatch: 10, pointsPerSurface: 20_000, hasLargeBodies: false },
  mycel: { requestsPerDay: 10_000, sitesPerBatch: 100, pointsPerSurface: 20_000, hasLargeBodies: false },
  hypha: {
    requestsPerDay: null,
    sitesPerBatch: LARGEST_BATCH_SITES,
    pointsPerSurface: 500_000,
    hasLargeBodies: true,
  },
} as const satisfies Record<string, TierLimits>;

export type Tier = keyof typeof TIERS;

/** The tiers' names, smallest first. */
export const TIER_NAMES = Object.keys(TIERS) as readonly Tier[];

/** The most bytes of a table or plan of a tier. @param largeBytes of tiers that may send large ones */
export function bodyLimitOf(tier: Tier, largeBytes: number, bodyLimitBytes: number): number {
  return TIERS[tier].hasLargeBodies ? largeBytes : Math.min(bodyLimitBytes, largeBytes);
}
