import type { FastifyInstance } from 'fastify';
import { modelOf } from '../../prediction/artefacts/manifest.js';
import type { Generation } from '../../work/generation.js';
import type { Endpoint } from '../openapi/document.js';
import { modelResponseSchema } from '../response/catalogue-schemas.js';
import { CACHE_CONTROL } from '../response/headers.js';
import { catalogueRoute } from './catalogue.js';
import type { RouteContext } from './context.js';

export const modelEndpoint: Endpoint = {
  path: '/v1/model',
  id: 'describeModel',
  tag: 'Catalogue',
  summary: 'Models and grid in use, with features, scores and origin of the outcomes',
  response: modelResponseSchema,
};

/** GET /v1/model: the identity of what serves, its origin, features and scores. */
export function modelRoute(app: FastifyInstance, { serving }: RouteContext): void {
  const describe = ({ artefacts: { manifest, grid, modelDigest, gridDigest } }: Generation) => ({
    ...modelOf(manifest),
    digest: modelDigest,
    outcomes: manifest.outcomes,
    caution: manifest.caution,
    alive: manifest.alive,
    grid: { points: grid.pointCount, digest: gridDigest },
    interval_level: manifest.interval_level,
    features: manifest.features.map(({ name, label, unit, minimum, maximum }) => ({
      feature: name,
      factor: label,
      unit,
      minimum,
      maximum,
    })),
    scores: manifest.scores,
  });
  catalogueRoute(app, modelEndpoint, serving, describe, CACHE_CONTROL.default);
}
