import type { FastifyInstance } from 'fastify';
import type { Serving } from '../serving.js';

/** GET /v1/species: the species, ordered by code. */
export function speciesRoute(app: FastifyInstance, serving: Serving): void {
  app.get('/v1/species', () => {
    const { species } = serving.current.artefacts;
    return { species, count: species.length };
  });
}
