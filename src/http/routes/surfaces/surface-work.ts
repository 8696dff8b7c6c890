import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { bandNames, SURVIVALS_PER_POINT } from '../../../formats/surface/surface.js';
import { type StreamedType, SURFACE_CHUNK_BYTES } from '../../../formats/surface/surface-output.js';
import { MemoryBudget } from '../../../work/admission.js';
import type { Generation } from '../../../work/generation.js';
import { SharedMemory, type SharedRange } from '../../../work/memory/shared-memory.js';
import type { RequestSteps } from '../../../work/request-steps.js';
import { SurfaceAnswer } from '../../../work/surface-answer.js';
import { closedWhileWaiting } from '../../errors/common-errors.js';
import { byteTag } from '../../response/headers.js';
import { type Submitter, takeMemory } from '../../submitter.js';
import { beforeFirstByte, stepsOf } from '../worker-steps.js';
import { type AskedSurface, rasterMetadata } from './surface-request.js';

/** What surfaces of all callers together may take until their answers are sent: some twenty of the whole grid. */
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
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly generation: Generation;
  readonly asked: AskedSurface;
}

/** The values of a surface at all its points. */
function valuesOf({ lattice, query }: AskedSurface): number {
  return lattice.points.length * bandNames(query.hasIntervals).length;
}

/** What its points and values take. */
function bytesOf(asked: AskedSurface): number {
  return asked.lattice.points.byteLength + valuesOf(asked) * Uint16Array.BYTES_PER_ELEMENT;
}

/** Predicts surfaces in the turns of their keys and in memory that all surfaces share, and keeps the files that it makes. */
export class SurfaceWork {
  readonly #budget = new MemoryBudget(MEMORY_BYTES);
  readonly #memory = new SharedMemory();
  readonly #kept = new LRUCache<string, SurfaceFile>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  /** The files that requests are making, by identity. */
  readonly #making = new Map<string, Promise<SurfaceFile>>();

  constructor(
    private readonly submitter: Submitter,
    private readonly timeoutMs: number,
  ) {}

  keptFile({ identity }: AskedSurface): SurfaceFile | undefined {
    return this.#kept.get(identity);
  }

  /** Takes memory for bytes of a kept file until they are sent. @throws ApiError overloaded */
  takeMemory(bytes: number, { request, reply }: SurfaceCall): (leftBytes: number) => void {
    return takeMemory(this.#budget, bytes, request, reply);
  }

  /** Predicts a surface that is sent in chunks. @throws ApiError */
  predict(call: SurfaceCall): Promise<PredictedSurface> {
    const { request, asked } = call;
    this.submitter.checkConcurrency(request);
    const chunkBytes = Math.min(SURFACE_CHUNK_BYTES, TEXT_BYTES_PER_POINT * asked.lattice.points.length);
    this.takeMemory(bytesOf(asked) + chunkBytes, call);
    return this.#runLimited(call, async (predict, steps) => ({ answer: await predict(), steps }));
  }

  /**
   * Makes a file, unless another request makes it. It is sent from the main thread, which holds its bytes: the generation
   * is let go before, so that reloads do not cut a slow download.
   * @throws ApiError
   */
  makeFile(call: SurfaceCall): Promise<SurfaceFile> {
    const { identity } = call.asked;
    this.submitter.checkConcurrency(call.request);
    return this.#runLimited(call, async (predict, steps) => {
      // The caller of the other request may hang up: then this one makes it.
      while (this.#making.has(identity)) await this.#making.get(identity)?.catch(() => {});
      let file = this.keptFile(call.asked);
      if (file === undefined) {
        const making = this.#make(call, predict);
        this.#making.set(identity, making);
        file = await making.finally(() => this.#making.delete(identity));
      } else this.takeMemory(file.bytes.length, call);
      steps.end();
      return file;
    });
  }

  async #make(call: SurfaceCall, predict: () => Promise<SurfaceAnswer>): Promise<SurfaceFile> {
    const { asked } = call;
    const { lattice, raster, type, identity } = asked;
    const mostBytes =
      raster === undefined
        ? TEXT_BYTES_PER_POINT * lattice.points.length
        : RASTER_BYTES_PER_VALUE * valuesOf(asked);
    const keepOnly = this.takeMemory(bytesOf(asked) + mostBytes, call);
    const answer = await predict();
    const deadlineMs = this.submitter.deadlineOf(call.reply);
    const { artefacts } = call.generation;
    const bytes =
      raster === undefined
        ? await answer.text(type as StreamedType, deadlineMs)
        : await answer.geoTiff(raster, artefacts.grid.index, rasterMetadata(asked, artefacts), deadlineMs);
    const file = { bytes, byteTag: raster === undefined ? undefined : await byteTag(bytes) };
    this.#kept.set(identity, file);
    keepOnly(bytes.length);
    return file;
  }

  #runLimited<Result>(
    { request, reply, generation, asked }: SurfaceCall,
    work: (predict: () => Promise<SurfaceAnswer>, steps: RequestSteps) => Promise<Result>,
  ): Promise<Result> {
    let range: SharedRange | undefined;
    const steps = stepsOf(request, reply, generation, () => {
      if (range !== undefined) this.#memory.release(range);
    });
    const predict = async () => {
      if (steps.isCancelled) throw closedWhileWaiting(); // the memory would not be released
      const { lattice, query, species } = asked;
      const { points, step } = lattice;
      request.state.sites = points.length;
      range = this.#memory.take(bytesOf(asked));
      const sharedPoints = new Int32Array(range.memory, range.at, points.length);
      sharedPoints.set(points);
      const shared = new Uint16Array(range.memory, range.at + points.byteLength, valuesOf(asked));
      const survivals = SURVIVALS_PER_POINT * points.length;
      const surface = {
        species,
        assumed: query.assumed,
        step,
        points: sharedPoints,
        survival: shared.subarray(0, survivals),
        ends: query.hasIntervals ? shared.subarray(survivals) : undefined,
      };
      const answer = new SurfaceAnswer(surface, steps);
      await answer.predict(this.submitter.deadlineOf(reply));
      return answer;
    };
    return beforeFirstByte(request, steps, this.timeoutMs, closedWhileWaiting, () =>
      this.submitter.runLimited(request, reply, generation, () => work(predict, steps)),
    );
  }
}
