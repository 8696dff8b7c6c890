import { z } from 'zod';
import { TIER_NAMES, TIERS, type Tier } from '../../../accounts/tiers.js';
import {
  describedNumber,
  isWithin,
  type OptionNumber,
  queryNumber,
  rangeMessage,
  SCENARIO,
} from '../../../formats/request/options.js';
import { invalidRequest } from '../../../formats/request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../formats/request/schemas.js';
import type { Scenario } from '../../../formats/surface/surface.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { show } from '../../../prediction/errors/shown-value.js';
import type { Box } from '../../../prediction/locate/lattice-points.js';

/** The query of a surface. */
export interface SurfaceQuery extends Scenario {
  readonly bbox?: readonly number[];
  readonly max_points?: number;
}

/** Points of a surface where the query does not say how many. */
const DEFAULT_POINTS = 20_000;

const EVERYWHERE = [-MAX_LONGITUDE, -MAX_LATITUDE, MAX_LONGITUDE, MAX_LATITUDE] as const;

const POINTS: OptionNumber = {
  name: 'max_points',
  unit: '1',
  minimum: 1,
  maximum: Math.max(...TIER_NAMES.map((tier) => TIERS[tier].pointsPerSurface)),
  example: 5000,
};
const [WARMING, PRECIPITATION_CHANGE] = SCENARIO;
const PARAMETERS = ['bbox', POINTS.name, ...SCENARIO.map(({ name }) => name)].join(', ');

const mostPoints = TIER_NAMES.map((tier) => `${tier} ${TIERS[tier].pointsPerSurface}`).join(', ');

/** The parameters of the query, as numbers. @param limit of the points of the caller's tier */
export function surfaceQuerySchema(limit: number) {
  return z.strictObject(
    {
      bbox: z
        .unknown()
        .refine(isBox, {
          error: ({ input }) =>
            `bbox must be west,south,east,north in degrees from ${-MAX_LONGITUDE} to ${MAX_LONGITUDE} and ${-MAX_LATITUDE} to ${MAX_LATITUDE}, ` +
            'west at most east and south at most north, not ' +
            show(input),
        })
        .optional()
        .meta({
          type: 'array',
          minItems: 4,
          maxItems: 4,
          items: { type: 'number' },
          description: 'West, south, east and north in degrees, edges included. Everywhere by default.',
          examples: [[-122.5, 44, -122, 44.5]],
        }),
      max_points: z
        .unknown()
        .refine((value) => Number.isInteger(value) && isWithin(value, { ...POINTS, maximum: limit }), {
          error: ({ input }) =>
            `max_points must be a whole number from ${POINTS.minimum} to ${limit}, not ${show(input)}; by tier it is at most ${mostPoints}`,
        })
        .optional()
        .meta({
          type: 'integer',
          minimum: POINTS.minimum,
          maximum: limit,
          examples: [POINTS.example],
          default: DEFAULT_POINTS,
          description:
            'Where there are more, the points of a coarser lattice: every second row and column of the grid, every third, ' +
            'and so on; none are averaged. Rows and columns are counted from the corner of the grid or, where none of the ' +
            `points lies in these, from the first point within the box. By tier at most ${mostPoints}.`,
        }),
      warming_c: numberSchema(WARMING),
      precipitation_change_percent: numberSchema(PRECIPITATION_CHANGE),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `${issue.keys.map(show).join(', ')} is not a parameter of the query: these are ${PARAMETERS}`
          : undefined,
    },
  );
}

const schemaOf = {
  spore: surfaceQuerySchema(TIERS.spore.pointsPerSurface),
  mycel: surfaceQuerySchema(TIERS.mycel.pointsPerSurface),
  hypha: surfaceQuerySchema(TIERS.hypha.pointsPerSurface),
} satisfies Record<Tier, z.ZodType>;

/**
 * Reads the query of a surface.
 * @param parameters as in the address; an array where one is given several times
 * @throws ApiError invalid_request
 */
export function readSurfaceQuery(
  parameters: Readonly<Record<string, unknown>>,
  tier: Tier,
): SurfaceQuery & { readonly box: Box; readonly maxPoints: number } {
  const numbers = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      name === 'bbox' ? boxOf(value) : numberOf(value),
    ]),
  );
  const error = invalidRequest(schemaOf[tier], numbers);
  if (error !== undefined) throw new ApiError(error);
  const query = numbers as SurfaceQuery;
  const [west, south, east, north] = query.bbox ?? EVERYWHERE;
  return { ...query, box: { west, south, east, north }, maxPoints: query.max_points ?? DEFAULT_POINTS };
}

/** A number as text; anything else as it is, for the error message. */
function numberOf(value: unknown): unknown {
  const number = typeof value === 'string' ? queryNumber(value) : Number.NaN;
  return Number.isNaN(number) ? value : number;
}

/** Four numbers as text; anything else as it is, for the error message. */
function boxOf(value: unknown): unknown {
  const numbers = typeof value === 'string' ? value.split(',').map(numberOf) : value;
  return isBox(numbers) ? numbers : value;
}

function isBox(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 4 || !value.every((degrees) => Number.isFinite(degrees)))
    return false;
  const [west, south, east, north] = value as number[];
  const isOnEarth =
    west >= -MAX_LONGITUDE && east <= MAX_LONGITUDE && south >= -MAX_LATITUDE && north <= MAX_LATITUDE;
  return isOnEarth && west <= east && south <= north;
}

function numberSchema(number: OptionNumber) {
  return z
    .unknown()
    .refine((value) => isWithin(value, number), { error: ({ input }) => rangeMessage(number, input) })
    .optional()
    .meta({ ...describedNumber(number), description: `A changed climate, in ${number.unit}.` });
}
