import { ROW_STATUS } from '../../prediction/site-rows.js';
import type { ServingGeneration } from '../serving.js';
import type { ErrorObject } from './api-error.js';

/** The error of a row whose place could not be answered for. */
export function placeError(
  status: number,
  latitude: number,
  longitude: number,
  { artefacts }: ServingGeneration,
  searchRadiusKm: number,
): ErrorObject {
  if (status === ROW_STATUS.outsideCoverage) {
    return {
      code: 'outside_coverage',
      message: `latitude ${latitude}, longitude ${longitude} is outside the coverage, which is ${artefacts.regions.map(({ name }) => name).join(' and ')}.`,
      details: { suggestion: 'GET /v1/coverage lists the regions and their bounds.' },
    };
  }
  return {
    code: 'no_nearby_data',
    message:
      `No data point lies within ${searchRadiusKm} km of latitude ${latitude}, longitude ${longitude}: ` +
      'the data cover forest land, not urban, agricultural or water areas.',
    details: { search_radius_km: searchRadiusKm },
  };
}
