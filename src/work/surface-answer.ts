import { geoTiffFile } from '../formats/geotiff/geotiff-file.js';
import { levelsOf, tilesOf } from '../formats/geotiff/tiles.js';
import { bandNames, type Surface } from '../formats/surface/surface.js';
import type { ChunkStart, StreamedType, SurfaceChunk } from '../formats/surface/surface-output.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import type { RequestSteps } from './request-steps.js';

// Has workers predict for the points of a surface and write its bytes. Its arrays lie in shared memory. `nextDeadline`
// returns the deadline of a step that begins now. Each function throws JobError.

/** Points of a step: other keys have their turns between them. */
const STEP_POINTS = 500;
const STEP_POINTS_WITH_INTERVALS = 250;

export async function predictAllPoints(
  surface: Surface,
  steps: RequestSteps,
  nextDeadline: () => number,
): Promise<void> {
  const { length } = surface.points;
  const atOnce = surface.intervals ? STEP_POINTS_WITH_INTERVALS : STEP_POINTS;
  function* slices() {
    for (let from = 0; from < length; from += atOnce) yield { from, count: Math.min(atOnce, length - from) };
  }
  await steps.doEach(slices(), async (slice) => {
    await steps.do({ kind: 'predict-points', surface, ...slice }, nextDeadline());
  });
}

/** The bytes of an answer, each chunk made when the one before it was taken. */
export async function* surfaceChunks(
  surface: Surface,
  type: StreamedType,
  steps: RequestSteps,
  nextDeadline: () => number,
): AsyncGenerator<Uint8Array> {
  let start: ChunkStart | undefined = { section: 0, from: 0 };
  while (start !== undefined) {
    const chunk: SurfaceChunk = await steps.do({ kind: 'write-chunk', surface, type, start }, nextDeadline());
    yield chunk.bytes;
    start = chunk.next;
  }
}

/** The answer as a GeoTIFF. */
export async function surfaceTiff(
  surface: Surface,
  data: PredictorData,
  steps: RequestSteps,
  nextDeadline: () => number,
): Promise<Buffer<ArrayBuffer>> {
  const { cells, intervals } = surface;
  const tiles = levelsOf(cells).map((): Uint8Array[] => []);
  await steps.doEach(tilesOf(cells, bandNames(intervals).length), async (tile) => {
    const { bytes } = await steps.do({ kind: 'write-tile', surface, tile }, nextDeadline());
    tiles[tile.level][tile.at] = bytes;
  });
  return geoTiffFile(surface, data, tiles);
}
