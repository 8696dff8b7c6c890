import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { TIER_NAMES, TIERS, type Tier } from '../../../accounts/tiers.js';
import {
  type AssumedValues,
  assumptionSchemas,
  queryNumber,
} from '../../../formats/request/option-numbers.js';
import { issueError } from '../../../formats/request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../formats/request/schemas.js';
import {
  SURFACE_FORMATS,
  SURFACE_TYPES,
  type SurfaceFormat,
  type SurfaceType,
  TIFF_TYPE,
} from '../../../formats/surface/surface-output.js';
import type { Box } from '../../../prediction/artefacts/regions.js';
import { show } from '../../../prediction/errors/shown-value.js';
import { perGeneration } from '../../../prediction/per-generation.js';
import type { PredictorData } from '../../../prediction/predictor.js';
import { negotiateType } from '../../body/media-type.js';
import { includeSchema, readQuery, words } from '../query.js';

export interface SurfaceQuery {
  readonly box: Box;
  readonly maxPoints: number;
  /** What it assumes of climate and practice. */
  readonly assumed: AssumedValues;
  readonly intervals: boolean;
}

const FORMATS = Object.keys(SURFACE_FORMATS);

/** Points of a surface where the query does not say how many, unless it is a raster. */
const DEFAULT_POINTS = 20_000;

const EVERYWHERE = { west: -MAX_LONGITUDE, south: -MAX_LATITUDE, east: MAX_LONGITUDE, north: MAX_LATITUDE };

const mostPoints = TIER_NAMES.map((tier) => `${tier} ${TIERS[tier].pointsPerSurface}`).join(', ');

/**
 * The parameters of the query.
 * @param limit of the points of the caller's tier
 * @param assumptions the schemas of what may be assumed
 */
export function surfaceQuerySchema(limit: number, assumptions: Record<string, z.ZodOptional>) {
  return z.object({
    f: z
      .enum(FORMATS, {
        error: ({ input }) => `f must be one of ${FORMATS.join(', ')}, not ${show(input)}`,
      })
      .optional()
      .meta({ description: 'The format of the answer, in place of `Accept`.', examples: ['tif'] }),
    bbox: z
      .unknown()
      .refine((value) => typeof value === 'object', {
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
    include: includeSchema(
      'Adds the ends of the intervals as bands `low_*` and `high_*`: with `f=tif` alone.',
    ),
    ...assumptions,
  });
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

const schemasOf = perGeneration((data: PredictorData) => {
  const assumptions = assumptionSchemas(data);
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
  data: PredictorData,
): SurfaceQuery {
  const schema = schemasOf(data)[tier];
  const { values, ...read } = readQuery(schema, parameters, { f: String, bbox: boxOf }, data);
  const isRaster = type === TIFF_TYPE;
  if (read.intervals && !isRaster)
    throw issueError('include', 'include=intervals can only be had with f=tif');
  const defaultPoints = isRaster ? TIERS[tier].pointsPerSurface : DEFAULT_POINTS;
  const { bbox = EVERYWHERE, max_points = defaultPoints } = values;
  return { ...read, box: bbox as Box, maxPoints: max_points as number };
}

/** The box of four numbers as text; any other text as it is, for the error message. */
function boxOf(text: string): Box | string {
  const [west, south, east, north, ...others] = words(text).map(queryNumber);
  const isOnEarth =
    west >= -MAX_LONGITUDE && east <= MAX_LONGITUDE && south >= -MAX_LATITUDE && north <= MAX_LATITUDE; // not NaN
  const isBox = isOnEarth && west <= east && south <= north && others.length === 0;
  return isBox ? { west, south, east, north } : text;
}
