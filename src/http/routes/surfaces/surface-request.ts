import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { RasterMetadata } from '../../../formats/geotiff/geotiff-file.js';
import { type Raster, rasterWithin } from '../../../formats/geotiff/raster.js';
import { assumptionsOf } from '../../../formats/request/option-numbers.js';
import { speciesOf } from '../../../formats/request/places.js';
import { issueError, unknownSpecies } from '../../../formats/request/request-errors.js';
import { bandNames, type Surface } from '../../../formats/surface/surface.js';
import { type SurfaceType, TIFF_TYPE } from '../../../formats/surface/surface-output.js';
import type { PointIndex } from '../../../prediction/artefacts/point-index.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { type LatticePoints, latticePoints } from '../../../prediction/locate/lattice-points.js';
import { perGeneration } from '../../../prediction/per-generation.js';
import type { PredictorData } from '../../../prediction/predictor.js';
import { VERSION } from '../../../version.js';
import type { Generation } from '../../../work/generation.js';
import { IDENTITY, preferredEncoding } from '../../response/compression.js';
import { strongETag } from '../../response/headers.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';
import { readSurfaceQuery, type SurfaceQuery, surfaceTypeOf } from './surface-query.js';

export interface SurfaceRoute {
  Params: { species_code: string };
  Querystring: Record<string, unknown>;
}

/** The surface that a request asks for, without its values, and how it is sent. */
export interface AskedSurface extends Omit<Surface, 'values'> {
  readonly type: SurfaceType;
  /** Its pixels where it is a GeoTIFF. */
  readonly raster: Raster | undefined;
  /** Whether it is sent as a file, whole or by range. */
  readonly isFile: boolean;
  /** Whether a range of it is asked for, which is one of the bytes without a content coding. */
  readonly isRange: boolean;
  /** Another one for any other bytes, content codings apart. */
  readonly identity: string;
  /** Another one for another content coding, too. */
  readonly codedTag: string;
}

/** The types that are sent as files, where they have few points: GIS open these by range. */
const FILE_TYPES: readonly SurfaceType[] = ['application/geo+json', 'text/csv'];
const MAX_FILE_POINTS = 20_000;

/** Most lattices that are kept, some without a point, and most points of them together: four times the whole grid. */
const KEPT_LATTICES = 1000;
const KEPT_POINTS = 2_000_000;

/** The lattices that were asked for last: to find one takes milliseconds, also where the answer is 304 or 503. */
const latticesOf = perGeneration(
  ({ grid }: PredictorData) =>
    new LRUCache<string, LatticePoints, SurfaceQuery>({
      max: KEPT_LATTICES,
      maxSize: KEPT_POINTS,
      sizeCalculation: ({ points }) => points.length + 1,
      memoMethod: (_key, _stale, { context: { box, maxPoints } }) =>
        latticePoints(grid.index, box, maxPoints),
    }),
);

/** @throws ApiError in the order of the interface */
export function readSurface(request: FastifyRequest<SurfaceRoute>, generation: Generation): AskedSurface {
  const { artefacts } = generation;
  const { index } = artefacts.grid;
  const type = surfaceTypeOf(request);
  const query = readSurfaceQuery(request.query, type, callerOf(request).tier, artefacts);
  const { species_code } = request.params;
  const catalogue = speciesOf(artefacts);
  const species = catalogue.indexOf(species_code);
  if (species === -1) throw new ApiError(unknownSpecies(species_code, catalogue));
  const { box, maxPoints, assumed, intervals } = query;
  const { points, step } = latticesOf(artefacts).memo(JSON.stringify([box, maxPoints]), { context: query });
  const raster = type === TIFF_TYPE ? rasterOf(query, step, index) : undefined;
  const isSmall = points.length <= MAX_FILE_POINTS;
  const isFile = raster !== undefined || (isSmall && FILE_TYPES.includes(type));
  if (!isFile) requireChunks(request, 'A surface');

  const { modelDigest, gridDigest } = artefacts;
  const options = [species_code, box, step, assumed, intervals, type];
  const identity = strongETag(VERSION, modelDigest, gridDigest, ...options);
  const isRange = isFile && request.method === 'GET' && request.headers.range !== undefined;
  const coding = isRange ? IDENTITY : preferredEncoding(request);
  return {
    type,
    species,
    assumed,
    intervals,
    points,
    step,
    raster,
    isFile,
    isRange,
    identity,
    codedTag: strongETag(identity, coding),
  };
}

/** What a GeoTIFF says of itself. */
export function rasterMetadata(
  { species, assumed, intervals }: AskedSurface,
  artefacts: Generation['artefacts'],
): RasterMetadata {
  const { manifest, modelDigest } = artefacts;
  return {
    bands: bandNames(intervals),
    items: [
      ['species_code', artefacts.species[species].species_code],
      ['model_version', manifest.version],
      ['model_digest', modelDigest],
      ['outcomes', manifest.outcomes],
      ['caution', manifest.caution],
      ...assumptionsOf(artefacts).map(
        (number) => [number.name, assumed[number.name] ?? number.default ?? 0] as const,
      ),
    ],
  };
}

/** The pixels of a box. @throws ApiError where there are none, or too many */
function rasterOf({ box, maxPoints }: SurfaceQuery, step: number, index: PointIndex): Raster {
  const raster = rasterWithin(index, box);
  if (raster === undefined) {
    const message = 'bbox has no cell of the grid within it, and a GeoTIFF needs one: choose a larger one';
    throw issueError('bbox', message);
  }
  if (step === 1) return raster;
  const message =
    `a GeoTIFF has all points of its bbox, and these are more than max_points, ${maxPoints}: choose a smaller bbox, ` +
    'larger max_points where the tier allows it, or another format';
  throw issueError('max_points', message);
}
