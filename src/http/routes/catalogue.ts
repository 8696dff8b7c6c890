import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import { boundsOf } from '../../prediction/artefacts/regions.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { memoize } from '../../prediction/predictor-data.js';
import type { Generation, Serving } from '../../work/generation.js';
import type { Endpoint } from '../openapi/endpoint.js';
import * as schemas from '../response/catalogue-schemas.js';
import { constantBody } from '../response/compression.js';
import { CACHE_CONTROL, JSON_TYPE } from '../response/headers.js';
import type { RouteContext } from './context.js';

export const speciesEndpoint: Endpoint = {
  path: '/v1/species',
  id: 'listSpecies',
  tag: 'Catalogue',
  summary: 'List the species',
  response: schemas.speciesResponseSchema,
};

export const coverageEndpoint: Endpoint = {
  path: '/v1/coverage',
  id: 'describeCoverage',
  tag: 'Catalogue',
  summary: 'List the covered regions',
  response: schemas.coverageResponseSchema,
};

export const modelEndpoint: Endpoint = {
  path: '/v1/model',
  id: 'describeModel',
  tag: 'Catalogue',
  summary: 'Describe the models and the grid in use',
  response: schemas.modelResponseSchema,
};

/** A route whose answer depends only on the generation: it is serialized once, and compressed once in each encoding. */
export function generationRoute(
  app: FastifyInstance,
  serving: Serving,
  path: string,
  cacheControl: string,
  describe: (generation: Generation) => object,
): void {
  const bodyOf = memoize((generation: Generation) =>
    constantBody(Buffer.from(JSON.stringify(describe(generation)))),
  );
  bodyOf(serving.current); // now, not for the first request
  app.get(path, (_request, reply) =>
    reply.type(JSON_TYPE).header('cache-control', cacheControl).send(bodyOf(serving.current)),
  );
}

const describeSpecies = ({ data: { species } }: Generation) => ({ species, count: species.length });

const describeCoverage = ({ data: { grid, regions, searchRadiusKm } }: Generation) => ({
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
});

const describeModel = ({ data: { manifest, grid, modelDigest, gridDigest } }: Generation) => ({
  ...modelOf(manifest),
  digest: modelDigest,
  outcomes: manifest.outcomes,
  caution: manifest.caution,
  alive: manifest.alive,
  grid: { points: grid.pointCount, digest: gridDigest },
  interval_level: manifest.interval_level,
  features: manifest.features.map(({ name, label, unit, minimum, maximum, ...feature }) => ({
    feature: name,
    factor: label,
    unit,
    minimum,
    maximum,
    ...('default' in feature && { default: feature.default }),
  })),
  scores: manifest.scores,
  evidence: manifest.evidence,
});

/** GET /v1/species, /v1/coverage and /v1/model. */
export function catalogueRoutes(app: FastifyInstance, { serving }: RouteContext): void {
  generationRoute(app, serving, speciesEndpoint.path, CACHE_CONTROL.catalogue, describeSpecies);
  generationRoute(app, serving, coverageEndpoint.path, CACHE_CONTROL.catalogue, describeCoverage);
  generationRoute(app, serving, modelEndpoint.path, CACHE_CONTROL.default, describeModel);
}
