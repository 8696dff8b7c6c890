import { deflateSync } from 'node:zlib';
import type { PointIndex } from '../../prediction/artefacts/point-index.js';
import { bandValues, type Surface } from '../surface/surface.js';
import { type Raster, type RasterTile, TILE_SIZE } from './raster.js';

const SCALE = 10_000;
const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** A higher level takes half as long again and saves a hundredth of the bytes. */
const LEVEL = 4;

/**
 * Writes a tile: float32 with 4 decimals, NaN where there is no point. A pixel of an overview is the mean of the points in
 * it, since nothing is known of the other cells.
 */
export function encodeTile(
  surface: Surface,
  raster: Raster,
  tile: RasterTile,
  index: PointIndex,
): Uint8Array<ArrayBuffer> {
  const { points } = surface;
  const { row, column } = index;
  const values = bandValues(surface, tile.band);
  const cells = TILE_SIZE * tile.scale;
  const north = raster.north - tile.row * cells;
  const west = raster.west + tile.column * cells;
  const shift = Math.log2(tile.scale);
  const sums = new Uint32Array(TILE_SIZE * TILE_SIZE);
  const counts = new Uint32Array(TILE_SIZE * TILE_SIZE);
  const end = firstAt(points, index, north + 1);
  for (let position = firstAt(points, index, north - cells + 1); position < end; position++) {
    const point = points[position];
    const x = (column[point] - west) >> shift;
    if (x < 0 || x >= TILE_SIZE) continue;
    const at = ((north - row[point]) >> shift) * TILE_SIZE + x;
    sums[at] += values[position];
    counts[at]++;
  }
  const pixels = new Float32Array(sums.length).fill(Number.NaN);
  for (let at = 0; at < pixels.length; at++)
    if (counts[at] > 0) pixels[at] = Math.round(sums[at] / counts[at]) / SCALE;
  return new Uint8Array(deflateSync(differences(pixels), { level: LEVEL }));
}

/** The first of ascending points that lies in a row of the lattice or north of it. */
function firstAt(points: Int32Array, { row }: PointIndex, least: number): number {
  let [from, to] = [0, points.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (row[points[middle]] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The floating-point predictor (Adobe Photoshop TIFF Technical Note 3): in each row the most significant bytes of all
 * pixels, then the next ones, each as its difference from the byte before.
 */
function differences(pixels: Float32Array): Uint8Array {
  const bits = new Uint32Array(pixels.buffer);
  const bytes = new Uint8Array(pixels.length * BYTES);
  for (let row = 0; row < TILE_SIZE; row++) {
    const start = row * TILE_SIZE;
    let before = 0;
    for (let plane = 0; plane < BYTES; plane++) {
      const shift = 8 * (BYTES - 1 - plane);
      const to = start * BYTES + plane * TILE_SIZE;
      for (let x = 0; x < TILE_SIZE; x++) {
        const byte = (bits[start + x] >>> shift) & 0xff;
        bytes[to + x] = byte - before;
        before = byte;
      }
    }
  }
  return bytes;
}
