import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorObject } from '../../formats/errors/api-error.js';
import { rankingBody } from '../../formats/json/ranking.js';
import { placeError } from '../../formats/request/request-errors.js';
import { type Ranking, requestReaderOf } from '../../formats/request/request-reader.js';
import { nearestDataOf } from '../../prediction/predictor-data.js';
import { SiteRows } from '../../prediction/site-rows.js';
import type { Generation } from '../../work/generation.js';
import type { Endpoint } from '../openapi/endpoint.js';
import { takeMemoryFor } from '../request-memory.js';
import { JSON_TYPE } from '../response/headers.js';
import { compareResponseSchema, predictionResultSchema, rankingResponseSchema } from '../response/schemas.js';
import type { RouteContext } from './context.js';

/** The errors of every endpoint for one site. */
const ERRORS = [
  'invalid_species',
  'outside_coverage',
  'no_nearby_data',
  'elevation_mismatch',
  'overloaded',
] as const;

export const predictEndpoint: Endpoint = {
  path: '/v1/predict',
  id: 'predict',
  summary: 'Predict survival for one site, species and planting method',
  request: ({ prediction }) => prediction,
  response: predictionResultSchema,
  errors: [...ERRORS, 'invalid_method'],
};

export const compareEndpoint: Endpoint = {
  path: '/v1/predict/compare',
  id: 'comparePlantingMethods',
  summary: 'Compare both planting methods at one site',
  request: ({ comparison }) => comparison,
  response: compareResponseSchema,
  errors: ERRORS,
};

export const rankEndpoint: Endpoint = {
  path: '/v1/predict/rank',
  id: 'rankSpeciesAndMethods',
  summary: 'Rank species and planting methods at one site',
  description:
    'The ranking is sorted by survival at the longest requested horizon, highest first. `predictions` are ' +
    'those of POST /v1/predict with the same options. With `native_only`, the ranking has only species ' +
    'native to the matched point and may be empty.',
  request: ({ ranking }) => ranking,
  response: rankingResponseSchema,
  errors: [...ERRORS, 'invalid_method'],
};

/** POST /v1/predict, one species and method; /v1/predict/compare, both methods; /v1/predict/rank, several, best first. */
export function singleSiteRoutes(
  app: FastifyInstance,
  { serving, submitter, metrics, memory }: RouteContext,
): void {
  const failure = (error: ErrorObject) => {
    metrics.sites.inc({ outcome: error.code });
    return new ApiError(error);
  };
  /** Returns what was read of a request. @throws ApiError if that is an error */
  const checked = <Read extends object>(request: FastifyRequest, read: Read | ErrorObject): Read => {
    request.state.sites = 1;
    if ('code' in read) throw failure(read);
    return read;
  };
  /** Answers rows that all have the same site. */
  const answer = async (
    reply: FastifyReply,
    generation: Generation,
    rows: SiteRows,
    bodyOf: (elements: readonly Buffer[]) => Buffer | string,
  ) => {
    const answers = await submitter.submit(reply, generation.singleSites, rows);
    for (const [row, status] of answers.unanswered())
      throw failure(placeError(status, rows, row, generation.data));
    const body = bodyOf([...answers.elements()]);
    answers.release();
    takeMemoryFor(memory, body, reply);
    metrics.sites.inc({ outcome: 'answered' });
    const { outcomes } = generation.data.manifest;
    return reply.type(JSON_TYPE).header('model-outcomes', outcomes).send(body);
  };

  const siteRoute = ({ path }: Endpoint, kind: 'prediction' | 'comparison') =>
    app.post<{ Body: Buffer }>(path, async (request, reply) => {
      const generation = serving.current;
      const rows = checked(request, requestReaderOf(generation.data).readSite(request.body, kind));
      return answer(reply, generation, rows, ([element]) => Buffer.from(element));
    });
  siteRoute(predictEndpoint, 'prediction');
  siteRoute(compareEndpoint, 'comparison');

  app.post<{ Body: Buffer }>(rankEndpoint.path, async (request, reply) => {
    const generation = serving.current;
    const ranking = checked(request, requestReaderOf(generation.data).readRanking(request.body));
    const { site, nativeOnly } = ranking;
    // Without a point, `answer` throws, whatever is ranked.
    const point = Math.max(0, nearestDataOf(generation.data).find(site.longitude[0], site.latitude[0]));
    const { nativeRanges } = generation.data.grid;
    const isNative = (species: number) => ((nativeRanges[point] >>> species) & 1) === 1;
    const listed = ranking.species.filter((species) => !nativeOnly || isNative(species));
    // At least one row: the answer has the site even if the ranking is empty.
    const rows = rowsOf(ranking, listed.length > 0 ? listed : ranking.species.slice(0, 1));
    return answer(reply, generation, rows, (elements) =>
      rankingBody(elements, (row) => isNative(rows.species[row]), listed.length === 0),
    );
  });
}

/** A row for each of the species and each method of a ranking. */
function rowsOf({ site, methods }: Ranking, species: readonly number[]): SiteRows {
  const rows = new SiteRows(species.length * methods.length, site.width);
  for (let row = 0; row < rows.count; row++) {
    rows.copyRows(row, site, 0, 1);
    rows.species[row] = species[Math.floor(row / methods.length)];
    rows.method[row] = methods[row % methods.length];
  }
  return rows;
}
