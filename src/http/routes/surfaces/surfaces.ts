import { Readable } from 'node:stream';
import { arrayBuffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { TIER_NAMES, TIERS } from '../../../accounts/tiers.js';
import { bandNames } from '../../../formats/surface/surface.js';
import {
  type StreamedType,
  SURFACE_CHUNK_BYTES,
  TIFF_TYPE,
} from '../../../formats/surface/surface-output.js';
import { MemoryBudget } from '../../../work/admission.js';
import type { Generation } from '../../../work/generation.js';
import { LATER_STEP_TIMEOUTS } from '../../../work/job.js';
import { SharedMemory } from '../../../work/memory/shared-memory.js';
import { RequestSteps } from '../../../work/request-steps.js';
import { predictAllPoints, surfaceChunks, surfaceTiff } from '../../../work/surface-answer.js';
import { CLOSED_WHILE_WAITING, MODELS_CHANGED, TOO_MANY_OPEN } from '../../errors.js';
import type { Endpoint } from '../../openapi/endpoint.js';
import { takeMemory } from '../../request-memory.js';
import { rangeOf, sendRange } from '../../response/byte-range.js';
import { addVary, PACKET_BYTES, sendStream } from '../../response/compression.js';
import { byteTag, CACHE_CONTROL, isCurrent } from '../../response/headers.js';
import { surfaceResponses } from '../../response/surface-schemas.js';
import { callerOf } from '../../server/request-state.js';
import type { Submitter } from '../../submitter.js';
import { beforeFirstByte, contentTypeOf, openSteps, sendChunks } from '../answer-from-workers.js';
import type { RouteContext } from '../context.js';
import { type AskedSurface, readSurface, type SurfaceRoute, surfaceQuerySchema } from './surface-request.js';

export const surfacesEndpoint: Endpoint = {
  path: '/v1/surfaces/{species_code}',
  id: 'surface',
  summary: 'Survival map of one species',
  description:
    'Both planting methods at all horizons, as columns (JSON), features (GeoJSON), lines (CSV), Arrow ' +
    'record batches or bands of a cloud-optimized GeoTIFF. `f` or `Accept` selects the format. The values ' +
    'are those of POST /v1/predict at the points. If the box has more points than `max_points`, the ' +
    'response has every nth row and column of the grid. `spacing_km` is the distance between the rows, ' +
    'north to south. To revalidate a cached copy, send `If-None-Match`: the service responds at once. ' +
    'GeoTIFFs, and GeoJSON and CSV of at most 20,000 points, have a `Content-Length` and support `Range` ' +
    'requests; each of these counts against the quota. `HEAD` returns the status and headers of any format.',
  pathParameters: z.object({
    species_code: z.string().meta({ description: 'A code from GET /v1/species.', examples: ['PSME'] }),
  }),
  query: ({ assumptions }) =>
    surfaceQuerySchema(Math.max(...TIER_NAMES.map((tier) => TIERS[tier].pointsPerSurface)), assumptions),
  response: surfaceResponses,
  headers: ['ETag', 'Accept-Ranges', 'Model-Outcomes', 'Server-Timing'],
  errors: ['invalid_request', 'invalid_species', 'not_acceptable', 'overloaded'],
};

/** GET /v1/surfaces/{species_code}: the grid's points with the survival of one species. */
export function surfacesRoute(app: FastifyInstance, { config, serving, submitter }: RouteContext): void {
  const work = surfaceWork(submitter, config.requestTimeoutMs);
  app.get<SurfaceRoute>('/v1/surfaces/:species_code', async (request, reply) => {
    const generation = serving.current;
    const asked = readSurface(request, generation);
    const { type, codedTag, isFile, isRange } = asked;
    const isRaster = type === TIFF_TYPE;
    const isUnchanged = (etag: string) => isCurrent(etag, request.headers['if-none-match']);
    // The tag of a GeoTIFF is that of its bytes, which must be made first.
    const isNeeded = isRaster || !isUnchanged(codedTag);
    const file = isFile && isNeeded ? await work.fileOf(reply, generation, asked) : undefined;
    const etag = file?.byteTag ?? codedTag;
    /** Sets the headers of the answer, and of a 304. */
    const setHeaders = () => {
      if (request.query.f === undefined) addVary(reply, 'accept');
      return reply.headers({
        etag,
        'cache-control': CACHE_CONTROL.revalidated,
        'model-outcomes': generation.data.manifest.outcomes,
      });
    };
    if (isUnchanged(etag)) {
      setHeaders().code(304);
      if (!isRaster) addVary(reply, 'accept-encoding');
      return reply.send(Readable.from([])); // without a body, Fastify adds `Content-Length: 0` in response to HEAD
    }
    if (file !== undefined) {
      const { bytes } = file;
      const range = rangeOf(request, bytes.length, etag);
      takeMemory(work.budget, range === undefined ? bytes.length : range[1] - range[0], reply);
      setHeaders().type(contentTypeOf(type));
      // It is not compressed, and yet its ETag depends on Accept-Encoding, like that of its 304.
      if (!isRaster && (isRange || bytes.length < PACKET_BYTES)) addVary(reply, 'accept-encoding');
      // A view of a range would keep all of the file in memory.
      return sendRange(reply, bytes, range, range && Buffer.from(bytes.subarray(...range)));
    }
    const predicted = request.method === 'HEAD' ? undefined : await work.predict(reply, generation, asked);
    setHeaders().type(contentTypeOf(type));
    if (predicted === undefined) return sendStream(reply, Readable.from([]));
    return sendChunks(reply, type, predicted.chunks, predicted.steps, 'a surface');
  });
}

/** Memory for the surfaces of all callers while they are made and sent: about twenty of the whole grid. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** Memory for files that are kept for callers who ask again or for another range. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** The most bytes of a point in an answer of text: a feature of GeoJSON. */
const TEXT_BYTES_PER_POINT = 400;
/** The most bytes of a value in a GeoTIFF and in the tiles from which the file is made. */
const RASTER_BYTES_PER_VALUE = 10;

interface SurfaceFile {
  readonly bytes: Buffer;
  /** The ETag of a GeoTIFF; that of a text depends on its content coding. */
  readonly byteTag: string | undefined;
}

/** Predicts surfaces in the turns of their keys and in memory that all surfaces share, and keeps the files that it makes. */
function surfaceWork(submitter: Submitter, timeoutMs: number) {
  const budget = new MemoryBudget(MEMORY_BYTES);
  const memory = new SharedMemory();
  const files = new LRUCache<string, SurfaceFile>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  /** The files that are being made, by identity. */
  const making = new Map<string, Promise<SurfaceFile>>();
  /** The deadline of a step that begins now, for a file or for an answer that has begun. */
  const laterDeadline = () => performance.now() + LATER_STEP_TIMEOUTS * timeoutMs;
  return { budget, predict, fileOf };

  /** Predicts a surface that is sent in chunks. @throws ApiError, JobError */
  async function predict(reply: FastifyReply, generation: Generation, asked: AskedSurface) {
    submitter.checkConcurrency(reply);
    const answerBytes = Math.min(SURFACE_CHUNK_BYTES, TEXT_BYTES_PER_POINT * asked.points.length);
    takeMemory(budget, sizeOf(asked).bytes + answerBytes, reply);
    const { surface, release } = share(asked);
    const steps = openSteps(reply, generation, release);
    const deadlineMs = submitter.deadlineOf(reply);
    await beforeFirstByte(reply, steps, () =>
      submitter.runLimited(reply, generation, () => {
        reply.request.state.sites = asked.points.length;
        return predictAllPoints(surface, steps, () => deadlineMs);
      }),
    );
    return { steps, chunks: surfaceChunks(surface, asked.type as StreamedType, steps, laterDeadline) };
  }

  /**
   * The file of a surface: it is made unless it is kept or another request is making it. Once begun it is completed and
   * kept even if its callers give up meanwhile, for when they ask again.
   * @throws ApiError, JobError
   */
  async function fileOf(
    reply: FastifyReply,
    generation: Generation,
    asked: AskedSurface,
  ): Promise<SurfaceFile> {
    const { identity } = asked;
    const before = files.get(identity);
    if (before !== undefined) return before;
    const work = async () => {
      // If the other request fails, for example because of the limits of its key, this one makes the file.
      while (making.has(identity)) await making.get(identity)?.catch(() => {});
      const kept = files.get(identity);
      if (kept !== undefined) return kept;
      if (reply.raw.closed) throw CLOSED_WHILE_WAITING;
      const file = make(reply, generation, asked).finally(() => making.delete(identity));
      making.set(identity, file);
      return file;
    };
    return submitter.runLimited(reply, generation, work);
  }

  async function make(
    reply: FastifyReply,
    generation: Generation,
    asked: AskedSurface,
  ): Promise<SurfaceFile> {
    const { points, type, identity } = asked;
    const { data, batches, streams } = generation;
    const { id } = callerOf(reply.request);
    const { values, bytes: ownBytes } = sizeOf(asked);
    const answerBytes =
      type === TIFF_TYPE ? RASTER_BYTES_PER_VALUE * values : TEXT_BYTES_PER_POINT * points.length;
    if (!budget.take(id, ownBytes + answerBytes)) throw TOO_MANY_OPEN;
    const steps = new RequestSteps(id, batches);
    const cancel = () => steps.cancel();
    let release = () => {};
    streams.add(cancel);
    try {
      const shared = share(asked); // throws where the system has no memory
      release = shared.release;
      const { surface } = shared;
      reply.request.state.sites = points.length;
      await predictAllPoints(surface, steps, laterDeadline);
      reply.request.state.times = steps;
      const bytes =
        type === TIFF_TYPE
          ? await surfaceTiff(surface, data, steps, laterDeadline)
          : Buffer.from(await arrayBuffer(surfaceChunks(surface, type, steps, laterDeadline)));
      const file = { bytes, byteTag: type === TIFF_TYPE ? await byteTag(bytes) : undefined };
      files.set(identity, file);
      return file;
    } catch (err) {
      if (steps.isCancelled) throw MODELS_CHANGED; // or the service is stopping, and nobody waits
      if (reply.raw.closed) reply.log.error({ err }, 'a surface could not be created'); // no response reports it
      throw err;
    } finally {
      streams.delete(cancel);
      budget.release(id, ownBytes + answerBytes);
      void steps.released().then(release);
    }
  }

  /** Copies the points of a surface to shared memory with space for its values. `release` gives that memory back. */
  function share(asked: AskedSurface) {
    const size = sizeOf(asked);
    const range = memory.take(size.bytes);
    const points = new Int32Array(range.memory, range.at, asked.points.length);
    points.set(asked.points);
    const values = new Uint16Array(range.memory, range.at + points.byteLength, size.values);
    return { surface: { ...asked, points, values }, release: () => memory.release(range) };
  }
}

/** The number of values of a surface, and the bytes that its points and values take. */
function sizeOf({ points, intervals }: AskedSurface) {
  const values = points.length * bandNames(intervals).length;
  return { values, bytes: points.byteLength + values * Uint16Array.BYTES_PER_ELEMENT };
}
