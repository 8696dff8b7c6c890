import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { bandNames, type Surface } from '../../../formats/surface/surface.js';
import { type StreamedType, SURFACE_CHUNK_BYTES } from '../../../formats/surface/surface-output.js';
import { MemoryBudget } from '../../../work/admission.js';
import type { Generation } from '../../../work/generation.js';
import { LATER_STEP_TIMEOUTS } from '../../../work/job.js';
import { SharedMemory, type SharedRange } from '../../../work/memory/shared-memory.js';
import { RequestSteps } from '../../../work/request-steps.js';
import { SurfaceAnswer } from '../../../work/surface-answer.js';
import { closedWhileWaiting, TOO_MANY_OPEN } from '../../errors.js';
import { byteTag } from '../../response/headers.js';
import { callerOf } from '../../server/request-state.js';
import { type Submitter, takeMemory } from '../../submitter.js';
import { beforeFirstByte, stepsOf } from '../worker-steps.js';
import { type AskedSurface, rasterMetadata } from './surface-request.js';

/** What surfaces of all callers together may take while they are made and sent: some twenty of the whole grid. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** What the files may take that are kept for callers who ask again, or for another range. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** What a point takes in an answer of text at most: a feature of GeoJSON. */
const TEXT_BYTES_PER_POINT = 400;
/** What a value takes at most in a GeoTIFF and the tiles that it is made of. */
const RASTER_BYTES_PER_VALUE = 10;

interface SurfaceFile {
  readonly bytes: Buffer;
  /** The ETag of a GeoTIFF; that of a text depends on its content coding. */
  readonly byteTag: string | undefined;
}

interface PredictedSurface {
  readonly answer: SurfaceAnswer;
  readonly steps: RequestSteps;
}

interface SurfaceCall {
  readonly reply: FastifyReply;
  readonly generation: Generation;
  readonly asked: AskedSurface;
}

/** The number of values of a surface, and the bytes that its points and values take. */
function sizeOf({ points, intervals }: AskedSurface) {
  const values = points.length * bandNames(intervals).length;
  return { values, bytes: points.byteLength + values * Uint16Array.BYTES_PER_ELEMENT };
}

/** Copies the points of a surface to shared memory of `sizeOf` bytes. Its values are still to be predicted. */
function surfaceIn({ memory, at }: SharedRange, { request }: FastifyReply, asked: AskedSurface): Surface {
  const { species, assumed, intervals, step } = asked;
  request.state.sites = asked.points.length;
  const points = new Int32Array(memory, at, asked.points.length);
  points.set(asked.points);
  const values = new Uint16Array(memory, at + points.byteLength, sizeOf(asked).values);
  return { species, assumed, intervals, step, points, values };
}

/** Predicts surfaces in the turns of their keys and in memory that all surfaces share, and keeps the files that it makes. */
export class SurfaceWork {
  readonly #budget = new MemoryBudget(MEMORY_BYTES);
  readonly #memory = new SharedMemory();
  readonly #kept = new LRUCache<string, SurfaceFile>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  /** The files that are being made, by identity. */
  readonly #making = new Map<string, Promise<SurfaceFile>>();

  constructor(
    private readonly submitter: Submitter,
    private readonly timeoutMs: number,
  ) {}

  /** Takes memory for bytes of an answer until they are sent. @throws ApiError overloaded */
  takeMemory(bytes: number, { reply }: SurfaceCall): void {
    takeMemory(this.#budget, bytes, reply);
  }

  /** Predicts a surface that is sent in chunks. @throws ApiError, JobError */
  predict(call: SurfaceCall): Promise<PredictedSurface> {
    const { reply, generation, asked } = call;
    this.submitter.checkConcurrency(reply);
    const { bytes } = sizeOf(asked);
    this.takeMemory(bytes + Math.min(SURFACE_CHUNK_BYTES, TEXT_BYTES_PER_POINT * asked.points.length), call);
    let range: SharedRange | undefined;
    const steps = stepsOf(reply, generation, () => {
      if (range !== undefined) this.#memory.release(range);
    });
    const work = async () => {
      if (steps.isCancelled) throw closedWhileWaiting(); // the memory would not be released
      range = this.#memory.take(bytes);
      const answer = new SurfaceAnswer(surfaceIn(range, reply, asked), steps);
      const deadlineMs = this.submitter.deadlineOf(reply);
      await answer.predict(() => deadlineMs);
      return { answer, steps };
    };
    return beforeFirstByte(reply, steps, closedWhileWaiting, () =>
      this.submitter.runLimited(reply, generation, work),
    );
  }

  /**
   * The file of a surface, which is made unless it is kept or another request makes it. Once begun it is made to its end,
   * although its callers may have given up by then: it is kept for when they ask again.
   * @throws ApiError, JobError
   */
  async fileOf(call: SurfaceCall): Promise<SurfaceFile> {
    const { reply, generation, asked } = call;
    const { identity } = asked;
    const before = this.#kept.get(identity);
    if (before !== undefined) return before;
    const work = async () => {
      // Another request may fail for reasons of its own key.
      while (this.#making.has(identity)) await this.#making.get(identity)?.catch(() => {});
      const kept = this.#kept.get(identity);
      if (kept !== undefined) return kept;
      if (reply.raw.closed) throw closedWhileWaiting();
      const making = this.#make(call).finally(() => this.#making.delete(identity));
      this.#making.set(identity, making);
      return making;
    };
    return this.submitter.runLimited(reply, generation, work);
  }

  async #make({ reply, asked, generation }: SurfaceCall): Promise<SurfaceFile> {
    const { points, raster, type, identity } = asked;
    const { id } = callerOf(reply.request);
    const size = sizeOf(asked);
    const bytesTaken =
      size.bytes +
      (raster === undefined ? TEXT_BYTES_PER_POINT * points.length : RASTER_BYTES_PER_VALUE * size.values);
    if (!this.#budget.take(id, bytesTaken)) throw TOO_MANY_OPEN;
    const steps = new RequestSteps(id, generation.batches);
    const cancel = () => steps.cancel();
    let range: SharedRange | undefined;
    try {
      generation.streams.add(cancel);
      range = this.#memory.take(size.bytes);
      const answer = new SurfaceAnswer(surfaceIn(range, reply, asked), steps);
      const deadlineOf = () => performance.now() + LATER_STEP_TIMEOUTS * this.timeoutMs;
      await answer.predict(deadlineOf);
      reply.request.state.times = steps;
      const { artefacts } = generation;
      const bytes =
        raster === undefined
          ? await answer.text(type as StreamedType, deadlineOf)
          : await answer.geoTiff(raster, artefacts.grid.index, rasterMetadata(asked, artefacts), deadlineOf);
      const file = { bytes, byteTag: raster === undefined ? undefined : await byteTag(bytes) };
      this.#kept.set(identity, file);
      return file;
    } catch (err) {
      // Nobody else learns of it.
      if (reply.raw.closed && !steps.isCancelled) reply.log.error({ err }, 'a surface could not be made');
      throw err;
    } finally {
      generation.streams.delete(cancel);
      this.#budget.release(id, bytesTaken);
      void steps.released().then(() => range && this.#memory.release(range));
    }
  }
}
