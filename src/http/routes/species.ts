import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../openapi/document.js';
import { speciesResponseSchema } from '../response/catalogue-schemas.js';
import { CACHE_CONTROL } from '../response/headers.js';
import type { Serving } from '../serving/serving.js';

export const speciesEndpoint: Endpoint = {
  path: '/v1/species',
  id: 'listSpecies',
  tag: 'Catalogue',
  summary: 'List the species',
  response: speciesResponseSchema,
};

/** GET /v1/species: the species, ordered by code. */
export function speciesRoute(app: FastifyInstance, serving: Serving): void {
  app.get('/v1/species', (_request, reply) => {
    const { species } = serving.current.artefacts;
    reply.header('cache-control', CACHE_CONTROL.catalogue);
    return { species, count: species.length };
  });
}
