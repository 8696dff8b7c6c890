import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.js';

/** GET /v1/species: the species, ordered by code. */
export function speciesRoute(app: FastifyInstance, { generations }: Services): void {
  app.get('/v1/species', () => {
    const { species } = generations.current.artefacts;
    return { species, count: species.length };
  });
}
