import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../openapi/document.js';
import { speciesResponseSchema } from '../response/catalogue-schemas.js';
import { catalogueRoute } from './catalogue-route.js';
import type { RouteContext } from './context.js';

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
