import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { TIER_NAMES, TIERS, type Tier } from '../../../accounts/tiers.js';
import { ApiError } from '../../../formats/errors/api-error.js';
import { show } from '../../../formats/errors/shown-value.js';
import { assumptionSchemas, queryNumber } from '../../../formats/request/option-numbers.js';
import { speciesOf } from '../../../formats/request/places.js';
import { issueError, unknownSpecies } from '../../../formats/request/request-errors.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../formats/request/schemas.js';
import {
  SURFACE_FORMATS,
  SURFACE_TYPES,
  type SurfaceFormat,
  type SurfaceType,
  TIFF_TYPE,
} from '../../../formats/surface/surface-output.js';
import type { Box } from '../../../prediction/artefacts/regions.js';
import { type LatticePoints, latticePoints } from '../../../prediction/locate/lattice-points.js';
import { memoize, type PredictorData } from '../../../prediction/predictor-data.js';
import { VERSION } from '../../../version.js';
import type { Generation } from '../../../work/generation.js';
import { negotiateType } from '../../body/media-type.js';
import { IDENTITY, preferredEncoding } from '../../response/compression.js';
import { strongETag } from '../../response/headers.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';
import { readQuery, wordListSchema } from '../query.js';

export interface SurfaceRoute {
  Params: { species_code: string };
  Querystring: Record<string, unknown>;
}

export type AskedSurface = ReturnType<typeof readSurface>;

const FORMATS = Object.keys(SURFACE_FORMATS) as SurfaceFormat[];

/** Points of a surface where the query does not say how many, unless it is a raster. */
const DEFAULT_POINTS = 20_000;

const EVERYWHERE = { west: -MAX_LONGITUDE, south: -MAX_LATITUDE, east: MAX_LONGITUDE, north: MAX_LATITUDE };

const mostPoints = TIER_NAMES.map((tier) => `${tier} ${TIERS[tier].pointsPerSurface}`).join(', ');

/** The parameters of the query. @param limit of `max_points` @param assumptions the schemas of what may be assumed */
export function surfaceQuerySchema(limit: number, assumptions: Record<string, z.ZodOptional>) {
  return z.object({
    f: z
      .enum(FORMATS, {
        error: ({ input }) => `f must be one of ${FORMATS.join(', ')}, not ${show(input)}`,
      })
      .optional()
      .meta({ description: 'Format of the response. It overrides `Accept`.', examples: ['tif'] }),
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
        description: 'West, south, east and north in degrees, including the edges. By default, all points.',
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
        description:
          `Maximum number of points, by default ${DEFAULT_POINTS}. If there are more, the response has every ` +
          'second, every third (and so on) row and column of the grid. Points are not averaged. Rows and ' +
          'columns are counted from the corner of the grid or, if that leaves no points, from the first ' +
          'point in the box. A GeoTIFF always has all points: if there are more than `max_points` (by ' +
          `default the maximum of the tier), the request is rejected. Maximum by tier: ${mostPoints}.`,
      }),
    include: wordListSchema(
      'include',
      ['intervals'],
      'Adds the ends of the intervals as bands `low_*` and `high_*`. Requires `f=tif`.',
    ),
    ...assumptions,
  });
}

const schemasOf = memoize((data: PredictorData) => {
  const assumptions = assumptionSchemas(data);
  const schemaOf = (tier: Tier) => surfaceQuerySchema(TIERS[tier].pointsPerSurface, assumptions);
  return { spore: schemaOf('spore'), mycel: schemaOf('mycel'), hypha: schemaOf('hypha') };
});

/** Types of which surfaces with few points are sent as files, which GIS read by range. */
const FILE_TYPES: readonly SurfaceType[] = ['application/geo+json', 'text/csv'];
const MAX_FILE_POINTS = 20_000;

/** The most lattices that are kept, and the most points of all of them: four times the whole grid. */
const KEPT_LATTICES = 1000;
const KEPT_POINTS = 2_000_000;

/** The lattices that were requested last. Finding one takes milliseconds, even if the answer is 304 or 503. */
const latticesOf = memoize(
  ({ grid }: PredictorData) =>
    new LRUCache<string, LatticePoints>({
      max: KEPT_LATTICES,
      maxSize: KEPT_POINTS,
      sizeCalculation: ({ points }) => points.length + 1,
      memoMethod: (asked) => latticePoints(grid.index, ...(JSON.parse(asked) as [Box, number])),
    }),
);

/**
 * Reads a request.
 * @returns the surface that it asks for, without its values, and how to send it. `isFile`: as a file. `isRange`: a
 *   range of that file, without a content coding. `identity` identifies the bytes before content coding, `codedTag` is
 *   the ETag after it
 * @throws ApiError in the order of the interface
 */
export function readSurface(request: FastifyRequest<SurfaceRoute>, { data }: Generation) {
  const type = typeOf(request);
  const { tier } = callerOf(request);
  const readers = { f: String, bbox: boxOf };
  const schema = schemasOf(data)[tier];
  const { values, assumed, intervals } = readQuery(schema, request.query, readers, data);
  const isRaster = type === TIFF_TYPE;
  if (intervals && !isRaster) throw issueError('include', 'include=intervals can only be had with f=tif');
  const box = (values.bbox ?? EVERYWHERE) as Box;
  const defaultPoints = isRaster ? TIERS[tier].pointsPerSurface : DEFAULT_POINTS;
  const maxPoints = (values.max_points ?? defaultPoints) as number;
  const lattice = latticesOf(data).memo(JSON.stringify([box, maxPoints]));
  const { points, step } = lattice;
  if (isRaster) checkRaster(lattice, maxPoints);
  const { species_code } = request.params;
  const catalogue = speciesOf(data);
  const species = catalogue.indexOf(species_code);
  if (species === -1) throw new ApiError(unknownSpecies(species_code, catalogue));
  const isFile = isRaster || (points.length <= MAX_FILE_POINTS && FILE_TYPES.includes(type));
  if (!isFile) requireChunks(request, 'A surface');

  const { modelDigest, gridDigest } = data;
  const asked = [species_code, box, step, assumed, intervals, type];
  const identity = strongETag(VERSION, modelDigest, gridDigest, ...asked);
  const isRange = isFile && request.method === 'GET' && request.headers.range !== undefined;
  const codedTag = strongETag(identity, isRange ? IDENTITY : preferredEncoding(request));
  return { ...lattice, assumed, intervals, type, species, isFile, isRange, identity, codedTag };
}

/** The media type of an answer: that of `f`, else what `Accept` chooses. @throws ApiError not_acceptable */
function typeOf(request: FastifyRequest<SurfaceRoute>): SurfaceType {
  const { f } = request.query;
  if (f === undefined) return negotiateType(request, SURFACE_TYPES);
  return SURFACE_FORMATS[FORMATS.find((format) => format === f) ?? 'json']; // `readQuery` refuses other words
}

/** The box of four numbers as text; any other text as it is, for the error message. */
function boxOf(text: string): Box | string {
  const [west, south, east, north, ...others] = text.split(',').map(queryNumber);
  const isOnEarth =
    west >= -MAX_LONGITUDE && east <= MAX_LONGITUDE && south >= -MAX_LATITUDE && north <= MAX_LATITUDE; // not NaN
  const isBox = isOnEarth && west <= east && south <= north && others.length === 0;
  return isBox ? { west, south, east, north } : text;
}

/** @throws ApiError where a raster would have no pixels, or too many points */
function checkRaster({ cells: { south, north, west, east }, step }: LatticePoints, maxPoints: number): void {
  if (north < south || east < west)
    throw issueError(
      'bbox',
      'bbox has no cell of the grid within it, and a GeoTIFF needs one: choose a larger one',
    );
  if (step > 1)
    throw issueError(
      'max_points',
      `a GeoTIFF has all points of its bbox, and these are more than max_points, ${maxPoints}: choose a smaller bbox, ` +
        'larger max_points where the tier allows it, or another format',
    );
}
