import type { ErrorObject } from '../../prediction/errors/api-error.js';
import { type GenerationData, perGeneration } from '../../prediction/per-generation.js';
import { ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import type { Outline } from '../../prediction/units/outline.js';
import { areaHa, centroid } from '../../prediction/units/outline-measures.js';
import { UnitPoints } from '../../prediction/units/unit-points.js';
import { coverageOf, nearestDataOf } from '../request/places.js';
import { placeError } from '../request/request-errors.js';
import { unitError } from './unit-reader.js';

/** Where a unit is predicted for. */
export interface UnitSites {
  /** Hectares with 4 decimals. */
  readonly areaHa: number;
  /** Grid points inside the unit that are averaged; 0 where there are none. */
  readonly dataPoints: number;
  /** From the centroid to the nearest grid point, km with 3 decimals. */
  readonly nearestKm: number;
  /** The grid points of its sites, at least one: those inside, or the nearest to the centroid. */
  readonly points: Int32Array;
  /** Degrees of its sites: those points, or the centroid. */
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
}

const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));
const AREA_DECIMALS = 4;
const DISTANCE_DECIMALS = 3;
/** Decimals of a centroid's degrees: about a metre. */
const PLACE_DECIMALS = 5;

const unitPointsOf = perGeneration(({ artefacts }: GenerationData) => new UnitPoints(artefacts.grid.index));

/** Finds the sites of a unit, or why there are none. */
export function sitesOf(outline: Outline, generation: GenerationData): UnitSites | ErrorObject {
  const area = rounded(areaHa(outline), AREA_DECIMALS);
  const middle = centroid(outline);
  if (area <= 0 || middle === undefined) return unitError('geometry', 'the unit has no area');
  const latitude = rounded(middle.latitude, PLACE_DECIMALS);
  const longitude = rounded(middle.longitude, PLACE_DECIMALS);
  const place = new SiteRows(1);
  place.latitude[0] = latitude;
  place.longitude[0] = longitude;
  const failure = (status: number) => placeError(status, place, 0, generation, 'the centroid, ');
  const points = unitPointsOf(generation).find(outline);
  if (points.length === 0 && !coverageOf(generation).contains(longitude, latitude))
    return failure(ROW_STATUS.outsideCoverage);
  const nearest = nearestDataOf(generation);
  const nearestPoint = nearest.findAnywhere(longitude, latitude);
  const { distanceKm } = nearest;
  const measured = { areaHa: area, nearestKm: rounded(distanceKm, DISTANCE_DECIMALS) };
  if (points.length > 0) {
    const { latitudes, longitudes, row, column } = generation.artefacts.grid.index;
    return {
      ...measured,
      dataPoints: points.length,
      points,
      latitude: Float64Array.from(points, (point) => latitudes[row[point]]),
      longitude: Float64Array.from(points, (point) => longitudes[column[point]]),
    };
  }
  if (distanceKm > generation.searchRadiusKm) return failure(ROW_STATUS.noNearbyData);
  return {
    ...measured,
    dataPoints: 0,
    points: Int32Array.of(nearestPoint),
    latitude: place.latitude,
    longitude: place.longitude,
  };
}
