import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { TIER_NAMES, TIERS } from '../../../accounts/tiers.js';
import { unknownSpecies } from '../../../formats/request/request-errors.js';
import { SURVIVALS_PER_POINT } from '../../../formats/surface/surface.js';
import { PART_BYTES, SURFACE_TYPES } from '../../../formats/surface/surface-output.js';
import { SpeciesCatalogue } from '../../../prediction/artefacts/species.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { latticePoints } from '../../../prediction/locate/lattice-points.js';
import { perGeneration } from '../../../prediction/per-generation.js';
import { VERSION } from '../../../version.js';
import { MemoryBudget } from '../../../work/admission.js';
import { SharedMemory } from '../../../work/memory/shared-memory.js';
import { SurfaceAnswer } from '../../../work/surface-answer.js';
import { negotiateType } from '../../body/media-type.js';
import { closedWhileWaiting } from '../../errors/common-errors.js';
import type { Endpoint } from '../../openapi/document.js';
import { addVary, preferredEncoding } from '../../response/compression.js';
import { CACHE_CONTROL, isCurrent, strongETag } from '../../response/headers.js';
import { surfaceResponses } from '../../response/surface-schemas.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';
import { takeMemory } from '../../submitter.js';
import type { RouteContext } from '../context.js';
import { beforeFirstByte, sendParts, stepsOf } from '../worker-steps.js';
import { readSurfaceQuery, surfaceQuerySchema } from './surface-query.js';

export const surfacesEndpoint: Endpoint = {
  path: '/v1/surfaces/{species_code}',
  id: 'surface',
  summary: 'Survival map of one species',
  description:
    'Both planting methods at all horizons, as columns (JSON), features (GeoJSON), lines (CSV) or Arrow record batches; ' +
    '`Accept` chooses. The values are those of POST /v1/predict at the points. Where the box has more points than ' +
    '`max_points`, those of a coarser lattice are listed, and `spacing_km` says how far apart its rows are, north to ' +
    'south. A copy may be kept and asked for again with `If-None-Match`, which is answered at once.',
  pathParameters: () =>
    z.object({
      species_code: z.string().meta({ description: 'A code of GET /v1/species.', examples: ['PSME'] }),
    }),
  query: ({ assumptions }) =>
    surfaceQuerySchema(Math.max(...TIER_NAMES.map((tier) => TIERS[tier].pointsPerSurface)), assumptions),
  response: surfaceResponses,
  headers: ['ETag', 'Model-Outcomes', 'Server-Timing'],
  errors: ['invalid_request', 'invalid_species', 'not_acceptable', 'overloaded'],
};

/** Memory for a point and its survival, which a request holds until its answer is sent. */
const BYTES_PER_POINT = Int32Array.BYTES_PER_ELEMENT + SURVIVALS_PER_POINT * Uint16Array.BYTES_PER_ELEMENT;
/** What a point takes in an answer at most: a feature of GeoJSON. */
const ANSWER_BYTES_PER_POINT = 400;

/** What the surfaces of all callers together may keep: some twenty of the whole grid. */
const MEMORY_BYTES = 128 * 1024 * 1024;

const catalogueOf = perGeneration(({ artefacts }) => new SpeciesCatalogue(artefacts.species));

interface SurfaceRequest {
  Params: { species_code: string };
  Querystring: Record<string, unknown>;
}

/** GET /v1/surfaces/{species_code}: the grid's points with the survival of one species. */
export function surfacesRoute(app: FastifyInstance, { config, serving, submitter }: RouteContext): void {
  const { requestTimeoutMs: timeoutMs } = config;
  const budget = new MemoryBudget(MEMORY_BYTES);
  const memory = new SharedMemory();
  app.get<SurfaceRequest>('/v1/surfaces/:species_code', async (request, reply) => {
    requireChunks(request, 'A surface');
    const generation = serving.current;
    const { artefacts } = generation;
    const { grid, manifest } = artefacts;
    const type = negotiateType(request, SURFACE_TYPES);
    const query = readSurfaceQuery(request.query, callerOf(request).tier, generation);
    const { species_code } = request.params;
    const species = catalogueOf(generation).indexOf(species_code);
    if (species === -1) throw new ApiError(unknownSpecies(species_code, catalogueOf(generation)));

    const { modelDigest, gridDigest } = artefacts;
    const representation = [type, preferredEncoding(request)];
    const etag = strongETag(VERSION, modelDigest, gridDigest, species_code, query, representation);
    const headers = { etag, 'cache-control': CACHE_CONTROL.revalidated };
    if (isCurrent(etag, request.headers['if-none-match'])) {
      addVary(reply, 'accept');
      addVary(reply, 'accept-encoding');
      return reply.code(304).headers(headers).send();
    }

    submitter.checkTurns(request);
    const { step, points } = latticePoints(grid.index, query.box, query.maxPoints);
    request.state.sites = points.length;
    const bytes = BYTES_PER_POINT * points.length;
    const answerBytes = Math.min(PART_BYTES, ANSWER_BYTES_PER_POINT * points.length);
    takeMemory(budget, bytes + answerBytes, request, reply);
    const range = memory.take(bytes);
    const steps = stepsOf(request, reply, generation, () => memory.release(range));
    const sharedPoints = new Int32Array(range.memory, range.at, points.length);
    sharedPoints.set(points);
    const survivalAt = range.at + points.byteLength;
    const survival = new Uint16Array(range.memory, survivalAt, SURVIVALS_PER_POINT * points.length);
    const answer = new SurfaceAnswer(
      { species, assumed: query.assumed, step, points: sharedPoints, survival },
      steps,
    );
    const deadlineMs = performance.now() - reply.elapsedTime + timeoutMs;
    await beforeFirstByte(request, steps, timeoutMs, closedWhileWaiting, () =>
      submitter.inTurn(request, reply, generation, () => answer.predict(deadlineMs)),
    );

    addVary(reply, 'accept');
    reply.headers({ ...headers, 'model-outcomes': manifest.outcomes });
    return sendParts(request, reply, type, answer.bytes(type, timeoutMs), steps, 'a surface');
  });
}
