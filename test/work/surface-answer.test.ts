import { expect, test } from 'vitest';
import type { Surface } from '../../src/formats/surface/surface.js';
import {
  type ChunkStart,
  SURFACE_TYPES,
  TIFF_TYPE,
  writeChunk,
} from '../../src/formats/surface/surface-output.js';
import type { Predictor } from '../../src/prediction/predictor.js';
import { SiteRows } from '../../src/prediction/site-rows.js';
import { RequestSteps } from '../../src/work/request-steps.js';
import { type Executor, type Run, Scheduler } from '../../src/work/scheduler.js';
import { predictAllPoints } from '../../src/work/surface-answer.js';
import { readPredictorData } from '../../testing/project.js';

/** Does steps in the next turn; the one for the first points fails each time. */
class FailingExecutor implements Executor {
  readonly maxRunRows = 1;
  readonly free = 1;
  onFree: () => void = () => {};
  /** Steps that it was given. */
  steps = 0;

  wake(): void {
    queueMicrotask(() => this.onFree());
  }

  start(run: Run): void {
    this.steps++;
    run.fill(new SiteRows(0));
    const { from } = run.slices[0].job.request.order as { readonly from: number };
    setImmediate(() => {
      if (from === 0) run.end(new Error('the first points fail'));
      else run.deliverResult({ result: { inferenceMs: 0 } });
    });
  }
}

test('no further step of a surface begins after one has failed', async () => {
  const executor = new FailingExecutor();
  const steps = new RequestSteps('key', new Scheduler(executor, 1));
  const surface = { points: new Int32Array(200_000), intervals: false } as Surface;
  await expect(predictAllPoints(surface, steps, () => Infinity)).rejects.toThrow('the first points fail');
  // Three tries of the one that fails, and of the others as many as were done meanwhile; the surface has 400.
  expect(executor.steps).toBeLessThan(40);
});

test('every chunk of a surface has its own memory, because workers transfer it', () => {
  const predictor = { data: readPredictorData() } as Predictor;
  const points = Int32Array.from({ length: 8193 }, (_, point) => point); // an Arrow batch, and one of one point
  const surface = { points, step: 1, species: 0, values: new Uint16Array(6 * points.length) } as Surface;
  for (const type of SURFACE_TYPES.filter((each) => each !== TIFF_TYPE)) {
    const memories = new Set<ArrayBuffer>();
    let chunks = 0;
    let start: ChunkStart | undefined = { section: 0, from: 0 };
    while (start !== undefined) {
      const chunk = writeChunk({ surface, type, start }, predictor);
      memories.add(chunk.bytes.buffer);
      // Fails for memory that Node's pool owns, which cannot be transferred.
      expect(chunk.bytes.buffer.byteLength, type).toBeLessThan(2 * chunk.bytes.byteLength);
      chunks++;
      start = chunk.next;
    }
    expect(memories.size).toBe(chunks);
  }
});
