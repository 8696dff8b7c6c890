import type { FastifyInstance } from 'fastify';
import { boundsOf } from '../../prediction/artefacts/regions.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import type { Endpoint } from '../openapi/document.js';
import { coverageResponseSchema } from '../response/catalogue-schemas.js';
import { catalogueRoute } from './catalogue-route.js';
import type { RouteContext } from './context.js';

export const coverageEndpoint: Endpoint = {
  path: '/v1/coverage',
  id: 'describeCoverage',
  tag: 'Catalogue',
  summary: 'List the regions of the coverage',
  response: coverageResponseSchema,
};

/** GET /v1/coverage: the regions and what is predicted in them. */
export function coverageRoute(app: FastifyInstance, { serving }: RouteContext): void {
  catalogueRoute(app, coverageEndpoint, serving, ({ artefacts: { grid, regions }, searchRadiusKm }) => ({
    regions: regions.map((region, index) => ({
      region: region.region,
      name: region.name,
      bounds: boundsOf(region),
      data_points: grid.region.reduce((count, of) => count + (of === index ? 1 : 0), 0),
    })),
    data_points: grid.pointCount,
    search_radius_km: searchRadiusKm,
    horizons: HORIZONS,
    planting_methods: PLANTING_METHODS,
  }));
}
