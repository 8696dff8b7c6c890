import { geoTiffFile } from '../formats/geotiff/geotiff-file.js';
import { levelsOf, tilesOf } from '../formats/geotiff/tiles.js';
import { bandNames, type Surface } from '../formats/surface/surface.js';
import type { ChunkStart, StreamedType, SurfaceChunk } from '../formats/surface/surface-output.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import type { RequestSteps } from './request-steps.js';

// Has workers predict for the points of a surface and write its bytes. Its arrays lie in shared memory. `deadlineOf`
// returns the deadline of a step that begins now. Each function throws JobError.

/** Points of a step: other keys have their turns between them. */
const STEP_POINTS = 500;
const STEP_POINTS_WITH_INTERVALS = 250;

export async function predictPoints(
  surface: Surface,
  steps: RequestSteps,
  deadlineOf: () => number,
): Promise<void> {
  const { length } = surface.points;
  const atOnce = surface.intervals ? STEP_POINTS_WITH_INTERVALS : STEP_POINTS;
  function* slices() {
    for (let from = 0; from < length; from += atOnce) yield { from, count: Math.min(atOnce, length - from) };
  }
  await steps.doEach(slices(), async (slice) => {
    await steps.do({ kind: 'predict-points', surface, ...slice }, deadlineOf());
  });
}

/** The bytes of an answer, each chunk made when the one before it was taken. */
export async function* surfaceChunks(
  surface: Surface,
  type: StreamedType,
  steps: RequestSteps,
  deadlineOf: () => number,
): AsyncGenerator<Uint8Array> {
  let start: ChunkStart | undefined = { section: 0, from: 0 };
  while (start !== undefined) {
    const chunk: SurfaceChunk = await steps.do({ kind: 'write-chunk', surface, type, start }, deadlineOf());
    yield chunk.bytes;
    start = chunk.next;
  }
}

/** The answer as a GeoTIFF. */
export async function surfaceTiff(
  surface: Surface,
  artefacts: PredictorData,
  steps: RequestSteps,
  deadlineOf: () => number,
): Promise<Buffer<ArrayBuffer>> {
  const { cells, intervals } = surface;
  const tiles = levelsOf(cells).map((): Uint8Array[] => []);
  await steps.doEach(tilesOf(cells, bandNames(intervals).length), async (tile) => {
    tiles[tile.level][tile.at] = (await steps.do({ kind: 'write-tile', surface, tile }, deadlineOf())).bytes;
  });
  return geoTiffFile(surface, artefacts, tiles);
}
