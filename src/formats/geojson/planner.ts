import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import { ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { areaHa, centroid, type Outline } from '../../prediction/units/outline.js';
import { unitPoints } from '../../prediction/units/unit-points.js';
import { coverageOf, nearestDataOf } from '../request/places.js';
import { issueError, placeError, type TierLimit } from '../request/request-errors.js';
import { type PlanOrder, readOrder } from './plan-reader.js';
import { readOutline, type UnitFeature, type UnitId, unitError } from './unit-reader.js';

/** Where a unit is predicted for. */
interface UnitSites {
  /** Hectares with 4 decimals. */
  readonly areaHa: number;
  /** Grid points inside the unit that are averaged; 0 where there are none. */
  readonly dataPoints: number;
  /** From the centroid to the nearest grid point, km with 3 decimals. */
  readonly nearestKm: number;
  /** The points inside; where there are none, the nearest to the centroid. */
  readonly points: Int32Array;
  /** Degrees of these points, or of the centroid. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
}

interface UnitSpecies {
  /** Index into the species list. */
  readonly species: number;
  readonly isNative: boolean;
}

/** A unit that can be predicted for. It has a row for each species and point: all points of a species, then the next. */
export interface ValidUnit extends UnitSites {
  readonly id: UnitId;
  readonly species: readonly UnitSpecies[];
  readonly error?: undefined;
}

/** A request whose units were read as far as `units` goes; plain data that can be passed to another thread. */
export interface Plan {
  readonly order: PlanOrder;
  /** The units, or what is wrong with them. */
  readonly units: readonly (ValidUnit | { readonly id: UnitId; readonly error: ErrorObject })[];
  /** The number of rows of these units. */
  readonly rowCount: number;
  /** All units were read. */
  readonly isRead: boolean;
}

/** Predictions that a request may ask for: sites by species and planting methods. */
export const MAX_PREDICTIONS = 200_000;

/** The body is parsed in every step, which spends at least this many times as long on units. */
const UNITS_SHARE = 2;

/**
 * Reads the body of POST /v1/plan, the outlines of some more of its units and the grid points inside them.
 * @param before the plan of the step before; undefined at the beginning
 * @param stepMs for which units are read
 * @throws ApiError where the request is wrong as a whole
 */
export function readPlan(
  body: Buffer,
  limit: TierLimit,
  generation: GenerationData,
  before: Plan | undefined,
  stepMs: number,
): Plan {
  const startedMs = performance.now();
  const { order, features } = readOrder(body, limit, generation);
  const parsedMs = performance.now();
  const endMs = parsedMs + Math.max(stepMs, UNITS_SHARE * (parsedMs - startedMs));
  const units = [...(before?.units ?? [])];
  let rowCount = before?.rowCount ?? 0;
  while (units.length < features.length) {
    const unit = planUnit(features[units.length], order, generation);
    units.push(unit);
    if (unit.error === undefined) rowCount += unit.species.length * unit.points.length;
    if (rowCount * order.methods.length > MAX_PREDICTIONS)
      throw tooMany(units.length, features.length, order);
    if (performance.now() > endMs) break;
  }
  return { order, units, rowCount, isRead: units.length === features.length };
}

function tooMany(read: number, total: number, { methods }: PlanOrder): ApiError {
  return issueError(
    '',
    `the plan needs more than ${MAX_PREDICTIONS} predictions, which are data points by species and planting methods ` +
      `(the first ${read} of ${total} units alone, with ${methods.length === 1 ? 'one method' : 'both methods'}): ` +
      'send fewer units, species or methods in a request',
  );
}

function planUnit(feature: UnitFeature, order: PlanOrder, generation: GenerationData) {
  const { id } = feature;
  try {
    const sites = sitesOf(readOutline(feature), generation);
    return { id, ...sites, species: speciesAt(sites, order, generation.artefacts.grid.nativeRanges) };
  } catch (error) {
    if (error instanceof ApiError) return { id, error: error.error };
    throw error;
  }
}

/** The species to predict: native ones are those whose range holds at least half of the points. */
function speciesAt(
  { points }: UnitSites,
  { species, nativeOnly }: PlanOrder,
  nativeRanges: Uint32Array,
): UnitSpecies[] {
  return species.flatMap((index) => {
    const native = points.reduce((count, point) => count + ((nativeRanges[point] >>> index) & 1), 0);
    const isNative = 2 * native >= points.length;
    return isNative || !nativeOnly ? [{ species: index, isNative }] : [];
  });
}

const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));
const AREA_DECIMALS = 4;
const DISTANCE_DECIMALS = 3;
/** Decimals of a centroid's degrees: about a metre. */
const PLACE_DECIMALS = 5;

/** Finds the sites of a unit. @throws ApiError where there are none */
function sitesOf(outline: Outline, generation: GenerationData): UnitSites {
  const area = rounded(areaHa(outline), AREA_DECIMALS);
  const middle = centroid(outline);
  if (area <= 0 || middle === undefined) throw unitError('geometry', 'the unit has no area');
  const latitude = rounded(middle.latitude, PLACE_DECIMALS);
  const longitude = rounded(middle.longitude, PLACE_DECIMALS);
  const failure = (status: number) => {
    const place = new SiteRows(1);
    place.latitude[0] = latitude;
    place.longitude[0] = longitude;
    return new ApiError(placeError(status, place, 0, generation, 'the centroid, '));
  };
  const points = unitPoints(generation.artefacts.grid.index, outline);
  const isBetweenPoints = points.length === 0;
  if (isBetweenPoints && !coverageOf(generation).contains(longitude, latitude))
    throw failure(ROW_STATUS.outsideCoverage);
  const nearest = nearestDataOf(generation);
  const nearestPoint = nearest.findAnywhere(longitude, latitude);
  const { distanceKm } = nearest;
  if (isBetweenPoints && distanceKm > generation.searchRadiusKm) throw failure(ROW_STATUS.noNearbyData);
  const { latitudes, longitudes, row, column } = generation.artefacts.grid.index;
  return {
    areaHa: area,
    dataPoints: points.length,
    nearestKm: rounded(distanceKm, DISTANCE_DECIMALS),
    ...(isBetweenPoints
      ? {
          points: Int32Array.of(nearestPoint),
          latitude: Float64Array.of(latitude),
          longitude: Float64Array.of(longitude),
        }
      : {
          points,
          latitude: Float64Array.from(points, (point) => latitudes[row[point]]),
          longitude: Float64Array.from(points, (point) => longitudes[column[point]]),
        }),
  };
}
