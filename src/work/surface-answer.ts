import type { Surface } from '../formats/surface/surface.js';
import type { PartStart, SurfacePart, SurfaceType } from '../formats/surface/surface-output.js';
import type { RequestSteps } from './request-steps.js';
import { PATIENCE } from './table-answer.js';

/** Points of a step: other keys have their turns between them. */
const STEP_POINTS = 500;

/** A surface, whose points the workers predict for and whose parts they write. Its arrays lie in shared memory. */
export class SurfaceAnswer {
  constructor(
    private readonly surface: Surface,
    private readonly steps: RequestSteps,
  ) {}

  /** Predicts for all points. @param deadlineMs on the clock of `performance.now()` @throws JobError */
  async predict(deadlineMs: number): Promise<void> {
    const { surface } = this;
    await this.steps.forEach(starts(surface.points.length), async (from) => {
      const count = Math.min(STEP_POINTS, surface.points.length - from);
      await this.steps.do({ kind: 'points', surface, from, count }, deadlineMs);
    });
  }

  /** The bytes of the answer, each part made when the one before it was taken. @throws JobError */
  async *bytes(type: SurfaceType, timeoutMs: number): AsyncGenerator<Uint8Array> {
    const { surface } = this;
    let start: PartStart | undefined = { section: 0, from: 0 };
    while (start !== undefined) {
      const deadlineMs = performance.now() + PATIENCE * timeoutMs;
      const part: SurfacePart = await this.steps.do({ kind: 'part', surface, type, start }, deadlineMs);
      yield part.bytes;
      start = part.next;
    }
  }
}

/** Where the steps of so many points start. */
function* starts(length: number): Generator<number> {
  for (let from = 0; from < length; from += STEP_POINTS) yield from;
}
