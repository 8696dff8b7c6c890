import KDBush from 'kdbush';
import { Coverage } from '../../prediction/locate/coverage.js';
import { NearestPoint } from '../../prediction/locate/nearest-point.js';
import { ROW_STATUS } from '../../prediction/site-rows.js';
import type { ErrorObject } from '../errors/api-error.js';
import { perGeneration, type ServingGeneration } from '../serving.js';

const coverageOf = perGeneration(({ artefacts }) => new Coverage(artefacts.regions));

/** Finds the nearest data at any distance. */
const nearestDataOf = perGeneration(
  ({ artefacts }) => new NearestPoint(KDBush.from(artefacts.grid.index), Number.POSITIVE_INFINITY),
);

/** The error of a row whose place could not be answered for. */
export function placeError(
  status: number,
  latitude: number,
  longitude: number,
  generation: ServingGeneration,
  searchRadiusKm: number,
): ErrorObject {
  const place = `latitude ${latitude}, longitude ${longitude}`;
  if (status === ROW_STATUS.outsideCoverage) {
    const regions = generation.artefacts.regions.map(({ name }) => name).join(' and ');
    return {
      code: 'outside_coverage',
      message: `${place} is outside the coverage, which is ${regions}.${placeHint(generation, latitude, longitude)}`,
      details: { suggestion: 'GET /v1/coverage lists the regions and their bounds.' },
    };
  }
  const nearest = nearestDataOf(generation);
  nearest.find(longitude, latitude);
  return {
    code: 'no_nearby_data',
    message:
      `No data point lies within ${searchRadiusKm} km of ${place}: the nearest is ${nearest.distanceKm.toFixed(1)} km away. ` +
      'The data cover forest land, not urban, agricultural or water areas.',
    details: { search_radius_km: searchRadiusKm },
  };
}

/** The place within the coverage that was probably meant by one outside, as a sentence after a space; '' for none. */
export function placeHint(generation: ServingGeneration, latitude: number, longitude: number): string {
  const mistakes = [
    [latitude, -longitude, 'the minus before the longitude is missing'],
    [longitude, latitude, 'latitude and longitude are swapped'],
    [
      longitude,
      -latitude,
      'latitude and longitude are swapped and the minus before the longitude is missing',
    ],
  ] as const;
  for (const [north, east, mistake] of mistakes) {
    if (coverageOf(generation).contains(east, north))
      return ` Did you mean latitude ${north}, longitude ${east}? It looks as if ${mistake}.`;
  }
  return '';
}
