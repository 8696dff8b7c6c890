import type { FastifyInstance } from 'fastify';
import { boundsOf } from '../../prediction/artefacts/regions.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { perGeneration } from '../../prediction/per-generation.js';
import type { Generation } from '../../work/generation.js';
import type { Serving } from '../../work/serving/serving.js';
import type { Endpoint } from '../openapi/document.js';
import { coverageResponseSchema, speciesResponseSchema } from '../response/catalogue-schemas.js';
import { compressOnDemand } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';
import type { RouteContext } from './context.js';

/**
 * A GET route whose answer is the same for every caller as long as a generation serves: it is written once, and compressed
 * once in each encoding that a caller asks for.
 * @param describe gives the answer
 */
export function catalogueRoute(
  app: FastifyInstance,
  { path }: Endpoint,
  serving: Serving,
  describe: (generation: Generation) => object,
  cacheControl: string = CACHE_CONTROL.catalogue,
): void {
  const answerOf = perGeneration((generation: Generation) =>
    compressOnDemand(Buffer.from(JSON.stringify(describe(generation)))),
  );
  app.get(path, async (request, reply) => {
    const body = await answerOf(serving.current)(request, reply);
    return reply.type(JSON_TYPE).header('cache-control', cacheControl).send(body);
  });
}

export const speciesEndpoint: Endpoint = {
  path: '/v1/species',
  id: 'listSpecies',
  tag: 'Catalogue',
  summary: 'List the species',
  response: speciesResponseSchema,
};

/** GET /v1/species: the species, ordered by code. */
export function speciesRoute(app: FastifyInstance, { serving }: RouteContext): void {
  catalogueRoute(app, speciesEndpoint, serving, ({ artefacts: { species } }) => ({
    species,
    count: species.length,
  }));
}

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
