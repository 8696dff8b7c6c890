import type { FastifyInstance } from 'fastify';
import { type RankedRow, rankingBody } from '../../formats/json/ranking.js';
import { nearestDataOf } from '../../formats/request/places.js';
import { placeError } from '../../formats/request/request-errors.js';
import { type Ranking, requestReaderOf } from '../../formats/request/request-reader.js';
import { HORIZONS } from '../../prediction/dimensions.js';
import { ApiError, type ErrorObject } from '../../prediction/errors/api-error.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { type Endpoint, SITE_ERRORS } from '../openapi/document.js';
import { JSON_TYPE } from '../response/headers.js';
import { rankingResponseSchema } from '../response/schemas.js';
import type { RouteContext } from './context.js';

export const rankEndpoint: Endpoint = {
  path: '/v1/predict/rank',
  id: 'rankSpeciesAndMethods',
  summary: 'Rank species and planting methods at one site',
  description:
    'Best first, by the survival at the longest horizon asked for. `predictions` are those of POST /v1/predict with the ' +
    'same options. Where no species is native to the matched point, the ranking is empty.',
  request: ({ ranking }) => ranking,
  response: rankingResponseSchema,
  errors: [...SITE_ERRORS, 'invalid_method'],
};

/** POST /v1/predict/rank: species and methods at one site, best first. */
export function rankRoute(app: FastifyInstance, { serving, submitter, metrics }: RouteContext): void {
  const failure = (error: ErrorObject) => {
    metrics.sites.inc({ outcome: error.code });
    return new ApiError(error);
  };
  app.post<{ Body: Buffer }>(rankEndpoint.path, async (request, reply) => {
    const generation = serving.current;
    const { manifest, grid } = generation.artefacts;
    const ranking = requestReaderOf(generation).readRanking(request.body);
    request.state.sites = 1;
    if ('code' in ranking) throw failure(ranking);
    const { site, nativeOnly } = ranking;
    // Which point it is does not matter where the site has no answer.
    const point = Math.max(0, nearestDataOf(generation).find(site.longitude[0], site.latitude[0]));
    const isNative = (index: number) => ((grid.nativeRanges[point] >>> index) & 1) === 1;
    const listed = ranking.species.filter((index) => !nativeOnly || isNative(index));
    // The site is in the answer also where nothing is listed.
    const rows = rowsOf(ranking, listed.length > 0 ? listed : ranking.species.slice(0, 1));
    const answers = await submitter.submit(request, reply, generation.singleSites, rows);
    for (const [row, status] of answers.unanswered())
      throw failure(placeError(status, rows, row, generation));
    metrics.sites.inc({ outcome: 'answered' });

    const ranked = Array.from(answers.elements(), (answer, row): RankedRow => {
      return { method: rows.method[row], isNative: isNative(rows.species[row]), answer };
    });
    const horizon = HORIZONS.findLast((_, h) => (site.horizons[0] & (1 << h)) !== 0) ?? HORIZONS[0];
    const body = rankingBody(ranked[0].answer, listed.length > 0 ? ranked : [], horizon);
    answers.release();
    return reply.type(JSON_TYPE).header('model-outcomes', manifest.outcomes).send(body);
  });
}

/** A row for each of the species and each method of a ranking. */
function rowsOf({ site, methods }: Ranking, species: readonly number[]): SiteRows {
  const rows = new SiteRows(species.length * methods.length, site.width);
  let row = 0;
  for (const index of species) {
    for (const method of methods) {
      rows.copyRows(row, site, 0, 1);
      rows.species[row] = index;
      rows.method[row++] = method;
    }
  }
  return rows;
}
