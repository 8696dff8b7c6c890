import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { TIER_NAMES, TIERS } from '../../../accounts/tiers.js';
import type { StreamedType } from '../../../formats/surface/surface-output.js';
import { LATER_STEP_TIMEOUTS } from '../../../work/job.js';
import type { Endpoint } from '../../openapi/endpoint.js';
import { rangeOf, sendRange } from '../../response/byte-range.js';
import { addVary, sendStream } from '../../response/compression.js';
import { CACHE_CONTROL, isCurrent } from '../../response/headers.js';
import { surfaceResponses } from '../../response/surface-schemas.js';
import type { RouteContext } from '../context.js';
import { contentTypeOf, sendChunks } from '../worker-steps.js';
import { surfaceQuerySchema } from './surface-query.js';
import { readSurface, type SurfaceRoute } from './surface-request.js';
import { SurfaceWork } from './surface-work.js';

export const surfacesEndpoint: Endpoint = {
  path: '/v1/surfaces/{species_code}',
  id: 'surface',
  summary: 'Survival map of one species',
  description:
    'Both planting methods at all horizons, as columns (JSON), features (GeoJSON), lines (CSV), Arrow record batches or ' +
    'the bands of a cloud-optimized GeoTIFF; `f` chooses, or `Accept`. The values are those of POST /v1/predict at the points. Where the box has more points than ' +
    '`max_points`, those of a coarser lattice are listed, and `spacing_km` says how far apart its rows are, north to ' +
    'south. A copy may be kept and asked for again with `If-None-Match`, which is answered at once. GeoTIFFs, and GeoJSON ' +
    'and CSV of at most 20,000 points, have a `Content-Length` and can be read by `Range`; each such request counts. ' +
    '`HEAD` gives the status and headers of any format.',
  pathParameters: () =>
    z.object({
      species_code: z.string().meta({ description: 'A code of GET /v1/species.', examples: ['PSME'] }),
    }),
  query: ({ assumptions }) =>
    surfaceQuerySchema(Math.max(...TIER_NAMES.map((tier) => TIERS[tier].pointsPerSurface)), assumptions),
  response: surfaceResponses,
  headers: ['ETag', 'Accept-Ranges', 'Model-Outcomes', 'Server-Timing'],
  errors: ['invalid_request', 'invalid_species', 'not_acceptable', 'overloaded'],
};

/** GET /v1/surfaces/{species_code}: the grid's points with the survival of one species. */
export function surfacesRoute(app: FastifyInstance, { config, serving, submitter }: RouteContext): void {
  const { requestTimeoutMs: timeoutMs } = config;
  const work = new SurfaceWork(submitter, timeoutMs);
  app.get<SurfaceRoute>('/v1/surfaces/:species_code', async (request, reply) => {
    const generation = serving.current;
    const asked = readSurface(request, generation);
    const call = { reply, generation, asked };
    const { type, raster, codedTag, isFile, isRange } = asked;
    const isUnchanged = (etag: string) => isCurrent(etag, request.headers['if-none-match']);
    // The tag of a GeoTIFF is that of its bytes, which must be made first.
    const isNeeded = raster !== undefined || !isUnchanged(codedTag);
    const file = isFile && isNeeded ? await work.fileOf(call) : undefined;
    const etag = file?.byteTag ?? codedTag;
    /** Sets the headers of the answer, and of a 304. */
    const describe = () => {
      if (request.query.f === undefined) addVary(reply, 'accept');
      return reply.headers({
        etag,
        'cache-control': CACHE_CONTROL.revalidated,
        'model-outcomes': generation.artefacts.manifest.outcomes,
      });
    };
    if (isUnchanged(etag)) {
      describe().code(304);
      if (raster === undefined) addVary(reply, 'accept-encoding');
      return reply.send();
    }
    if (file !== undefined) {
      const { bytes } = file;
      const range = rangeOf(request, bytes.length, etag);
      work.takeMemory(range === undefined ? bytes.length : range[1] - range[0], call);
      describe().type(contentTypeOf(type));
      // Also where the range is ignored: the ETag is that of the bytes without a content coding.
      if (isRange && raster === undefined) addVary(reply, 'accept-encoding');
      return sendRange(reply, bytes, range);
    }
    const predicted = request.method === 'HEAD' ? undefined : await work.predict(call);
    describe().type(contentTypeOf(type));
    if (predicted === undefined) return sendStream(reply, Readable.from([]));
    const deadlineOf = () => performance.now() + LATER_STEP_TIMEOUTS * timeoutMs;
    const chunks = predicted.answer.chunks(type as StreamedType, deadlineOf);
    return sendChunks(reply, type, chunks, predicted.steps, 'a surface');
  });
}
