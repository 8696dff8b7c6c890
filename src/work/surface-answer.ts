import { arrayBuffer } from 'node:stream/consumers';
import { geoTiffFile, type RasterMetadata } from '../formats/geotiff/geotiff-file.js';
import { levelsOf, type Raster, type RasterTile, tilesOf } from '../formats/geotiff/raster.js';
import type { Surface } from '../formats/surface/surface.js';
import type { ChunkStart, StreamedType, SurfaceChunk } from '../formats/surface/surface-output.js';
import type { PointIndex } from '../prediction/artefacts/point-index.js';
import type { RequestSteps } from './request-steps.js';

/** Points of a step: other keys have their turns between them. */
const STEP_POINTS = 500;
const STEP_POINTS_WITH_INTERVALS = 250;

/** A surface, whose points the workers predict for and whose bytes they write. Its arrays lie in shared memory. */
export class SurfaceAnswer {
  constructor(
    private readonly surface: Surface,
    private readonly steps: RequestSteps,
  ) {}

  /** Predicts for all points. @param deadlineOf gives the deadline of a step when it is begun @throws JobError */
  async predict(deadlineOf: () => number): Promise<void> {
    const { surface } = this;
    const atOnce = surface.intervals ? STEP_POINTS_WITH_INTERVALS : STEP_POINTS;
    await this.steps.doEach(slicesOf(surface.points.length, atOnce), async (slice) => {
      await this.steps.do({ kind: 'points', surface, ...slice }, deadlineOf());
    });
  }

  /**
   * The bytes of the answer, each chunk made when the one before it was taken.
   * @param deadlineOf gives the deadline of a chunk when it is asked for
   * @throws JobError
   */
  async *chunks(type: StreamedType, deadlineOf: () => number): AsyncGenerator<Uint8Array> {
    const { surface } = this;
    let start: ChunkStart | undefined = { section: 0, from: 0 };
    while (start !== undefined) {
      const chunk: SurfaceChunk = await this.steps.do({ kind: 'encode', surface, type, start }, deadlineOf());
      yield chunk.bytes;
      start = chunk.next;
    }
  }

  /** The answer as text. @throws JobError */
  async text(type: StreamedType, deadlineOf: () => number): Promise<Buffer<ArrayBuffer>> {
    return Buffer.from(await arrayBuffer(this.chunks(type, deadlineOf)));
  }

  /** The answer as a GeoTIFF. @throws JobError */
  async geoTiff(
    raster: Raster,
    index: PointIndex,
    metadata: RasterMetadata,
    deadlineOf: () => number,
  ): Promise<Buffer<ArrayBuffer>> {
    const { surface } = this;
    const tiles = levelsOf(raster).map((level) => tilesOf(level, metadata.bands.length));
    const bytes = tiles.map((ofLevel) => Array<Uint8Array>(ofLevel.length));
    await this.steps.doEach(placesOf(tiles), async ({ level, at, tile }) => {
      bytes[level][at] = (await this.steps.do({ kind: 'tile', surface, raster, tile }, deadlineOf())).bytes;
    });
    return geoTiffFile(raster, index, metadata, bytes);
  }
}

function* placesOf(tiles: readonly (readonly RasterTile[])[]) {
  for (const [level, ofLevel] of tiles.entries())
    for (const [at, tile] of ofLevel.entries()) yield { level, at, tile };
}

function* slicesOf(points: number, atOnce: number) {
  for (let from = 0; from < points; from += atOnce) yield { from, count: Math.min(atOnce, points - from) };
}
