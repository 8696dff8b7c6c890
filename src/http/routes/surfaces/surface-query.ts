import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { TIER_NAMES, TIERS, type Tier } from '../../../accounts/tiers.js';
import { type AssumedValues, assumptionSchemas } from '../../../formats/request/assumptions.js';
import { queryNumber } from '../../../formats/request/option-numbers.js';
import { optionRulesOf } from '../../../formats/request/options.js';
import { invalidRequest, issuesError } from '../../../formats/request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../formats/request/schemas.js';
import {
  SURFACE_FORMATS,
  SURFACE_TYPES,
  type SurfaceFormat,
  type SurfaceType,
  TIFF_TYPE,
} from '../../../formats/surface/surface-output.js';
import type { Box } from '../../../prediction/artefacts/regions.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { show } from '../../../prediction/errors/shown-value.js';
import { type GenerationData, perGeneration } from '../../../prediction/per-generation.js';
import { negotiateType } from '../../body/media-type.js';

export interface SurfaceQuery {
  readonly box: Box;
  readonly maxPoints: number;
  /** What it assumes of climate and practice. */
  readonly assumed: AssumedValues;
  readonly hasIntervals: boolean;
}

const FORMATS = Object.keys(SURFACE_FORMATS);

/** Points of a surface where the query does not say how many, unless it is a raster. */
const DEFAULT_POINTS = 20_000;

/** The parameters that are not numbers. */
const TEXTS: readonly string[] = ['f', 'include'];

const EVERYWHERE = [-MAX_LONGITUDE, -MAX_LATITUDE, MAX_LONGITUDE, MAX_LATITUDE] as const;

const mostPoints = TIER_NAMES.map((tier) => `${tier} ${TIERS[tier].pointsPerSurface}`).join(', ');

/**
 * The parameters of the query, as numbers.
 * @param limit of the points of the caller's tier
 * @param assumptions the schemas of what may be assumed
 */
export function surfaceQuerySchema(limit: number, assumptions: Record<string, z.ZodOptional>) {
  const known = ['f', 'bbox', 'max_points', 'include', ...Object.keys(assumptions)].join(', ');
  return z.strictObject(
    {
      f: z
        .enum(FORMATS, {
          error: ({ input }) => `f must be one of ${FORMATS.join(', ')}, not ${show(input)}`,
        })
        .optional()
        .meta({ description: 'The format of the answer, in place of `Accept`.', examples: ['tif'] }),
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
        .refine((value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limit, {
          error: ({ input }) =>
            `max_points must be a whole number from 1 to ${limit}, not ${show(input)}; by tier it is at most ${mostPoints}`,
        })
        .optional()
        .meta({
          type: 'integer',
          minimum: 1,
          maximum: limit,
          examples: [5000],
          default: DEFAULT_POINTS,
          description:
            'Where there are more, the points of a coarser lattice: every second row and column of the grid, every third, ' +
            'and so on; none are averaged. Rows and columns are counted from the corner of the grid or, where none of the ' +
            'points lies in these, from the first point within the box. A GeoTIFF always has all points: where there are ' +
            `more than this, by default the most of the tier, it is refused. By tier at most ${mostPoints}.`,
        }),
      include: z
        .literal('intervals', {
          error: ({ input }) => `include can only be intervals for a surface, not ${show(input)}`,
        })
        .optional()
        .meta({
          description: 'Adds the ends of the intervals as bands `low_*` and `high_*`: with `f=tif` alone.',
        }),
      ...assumptions,
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `${issue.keys.map(show).join(', ')} is not a parameter of the query: these are ${known}`
          : undefined,
    },
  );
}

/** The media type of an answer: that of `f`, else what `Accept` chooses. @throws ApiError not_acceptable */
export function surfaceTypeOf(
  request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
): SurfaceType {
  const { f } = request.query;
  if (f === undefined) return negotiateType(request, SURFACE_TYPES);
  // Another word is refused with the query.
  const isFormat = typeof f === 'string' && Object.hasOwn(SURFACE_FORMATS, f);
  return isFormat ? SURFACE_FORMATS[f as SurfaceFormat] : SURFACE_FORMATS.json;
}

const schemasOf = perGeneration(({ artefacts }: GenerationData) => {
  const assumptions = assumptionSchemas(optionRulesOf(artefacts));
  const schemaOf = (tier: Tier) => surfaceQuerySchema(TIERS[tier].pointsPerSurface, assumptions);
  return { spore: schemaOf('spore'), mycel: schemaOf('mycel'), hypha: schemaOf('hypha') };
});

/**
 * Reads the query of a surface.
 * @param parameters as in the address; an array where one is given several times
 * @param type of the answer
 * @throws ApiError invalid_request
 */
export function readSurfaceQuery(
  parameters: Readonly<Record<string, unknown>>,
  type: SurfaceType,
  tier: Tier,
  generation: GenerationData,
): SurfaceQuery {
  const numbers = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      name === 'bbox' ? boxOf(value) : TEXTS.includes(name) ? value : numberOf(value),
    ]),
  );
  const error = invalidRequest(schemasOf(generation)[tier], numbers);
  if (error !== undefined) throw new ApiError(error);
  const isRaster = type === TIFF_TYPE;
  const defaultPoints = isRaster ? TIERS[tier].pointsPerSurface : DEFAULT_POINTS;
  const { f: _, bbox = EVERYWHERE, max_points = defaultPoints, include, ...assumed } = numbers;
  if (include !== undefined) checkIntervals(isRaster, generation);
  const [west, south, east, north] = bbox as readonly number[];
  return {
    box: { west, south, east, north },
    maxPoints: max_points as number,
    assumed: assumed as AssumedValues,
    hasIntervals: include !== undefined,
  };
}

/** @throws ApiError where an answer cannot have intervals */
function checkIntervals(isRaster: boolean, { artefacts }: GenerationData): void {
  const refuse = (message: string) => new ApiError(issuesError([{ path: 'include', message }]));
  if (!isRaster) throw refuse('include=intervals can only be had with f=tif');
  if (!optionRulesOf(artefacts).hasIntervals)
    throw refuse('include cannot have intervals: the models of this service have none');
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
