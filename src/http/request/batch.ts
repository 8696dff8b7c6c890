import { TIERS, type Tier } from '../../accounts/tiers.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { ApiError, type ErrorObject } from '../errors/api-error.js';
import { invalidRequest, type RequestChecker } from './check-request.js';
import { batchRequestSchema } from './schemas.js';

/** A batch whose entries were checked. */
export interface Batch {
  /** Entries submitted. */
  readonly total: number;
  /** The entries that fit, in their order. */
  readonly rows: SiteRows;
  /** By entry, what is wrong with those that do not. */
  readonly failed: ReadonlyMap<number, FailedEntry>;
}

export interface FailedEntry {
  readonly error: ErrorObject;
  /** Degrees as submitted; null where that was not a number. */
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Checks the entries of a parsed body. @throws ApiError where it has not the shape of a batch or is too large */
export function checkBatch(body: unknown, tier: Tier, checker: RequestChecker): Batch {
  const parsed = batchRequestSchema.safeParse(body);
  if (!parsed.success) throw new ApiError(invalidRequest(body, parsed.error));
  const entries = parsed.data.requests;
  checkBatchSize(entries.length, tier);

  const rows = new SiteRows(entries.length);
  const failed = new Map<number, FailedEntry>();
  let rowCount = 0;
  entries.forEach((entry, index) => {
    const { error } = checker.checkPrediction(entry, rows, rowCount);
    if (error === undefined) rowCount++;
    else failed.set(index, { error, ...coordinatesOf(entry) });
  });
  return { total: entries.length, rows: rows.first(rowCount), failed };
}

/** @throws ApiError batch_too_large */
export function checkBatchSize(submitted: number, tier: Tier): void {
  const limit = TIERS[tier].sitesPerBatch;
  if (submitted <= limit) return;
  throw new ApiError({
    code: 'batch_too_large',
    message: `The batch has ${submitted} entries; the ${tier} tier allows ${limit}.`,
    details: { submitted, tier_limit: limit, tier },
  });
}

function coordinatesOf(entry: unknown): Pick<FailedEntry, 'latitude' | 'longitude'> {
  const { latitude, longitude } = Object(entry) as { latitude?: unknown; longitude?: unknown };
  const coordinate = (value: unknown) => (typeof value === 'number' ? value : null); // Infinity is null in JSON
  return { latitude: coordinate(latitude), longitude: coordinate(longitude) };
}
