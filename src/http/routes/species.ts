import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.js';

/** GET /v1/species: the species, ordered by code. */
export function speciesRoute(app: FastifyInstance, { artefacts: { species } }: Services): void {
  const answer = { species, count: species.length };
  app.get('/v1/species', () => answer);
}
