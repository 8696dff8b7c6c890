import { LARGEST_BATCH_SITES } from '../../accounts/tiers.js';
import type { Kept } from './json-reader.js';
import { batchRequestSchema, compareRequestSchema, predictRequestSchema } from './schemas.js';

/** A list of numbers is right or wrong by its first element that is none. */
const FIELD: Kept = { elements: {}, others: 1 };

const SITE = fieldsOf({ ...predictRequestSchema.shape, ...compareRequestSchema.shape }, FIELD);

/** A batch is too large for every tier with one entry more. */
const ENTRIES: Kept = { elements: { members: SITE }, others: LARGEST_BATCH_SITES };

/** What the checks of a request look at, in the body of any route. */
export const KEPT_FIELDS: Kept = {
  members: new Map([...SITE, ...fieldsOf(batchRequestSchema.shape, ENTRIES)]),
};

function fieldsOf(shape: object, kept: Kept): ReadonlyMap<string, Kept> {
  return new Map(Object.keys(shape).map((name) => [name, kept]));
}
