import { deflateSync } from 'node:zlib';
import { firstIndex } from '../../prediction/artefacts/point-index.js';
import type { LatticeCells } from '../../prediction/locate/lattice-points.js';
import type { Predictor } from '../../prediction/predictor.js';
import { SCALE } from '../../prediction/row-record.js';
import { bandValues, type Surface } from '../surface/surface.js';

/** Rows and columns of a tile. */
export const TILE_SIZE = 256;

/** The raster at full resolution (scale 1), or an overview of it. */
export interface RasterLevel {
  /** Rows of the lattice per row of the level; the same for columns. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

/** A tile of a level in one band. */
interface RasterTile {
  /** The index of its level, whose scale is 2 to the power of the index. */
  readonly level: number;
  /** Its position among the tiles of the level: those of the first band, then those of the second, and so on. */
  readonly at: number;
  readonly band: number;
  /** Its position in the band, from the north-west. */
  readonly row: number;
  readonly column: number;
}

/**
 * The levels of a raster whose pixels are cells of the grid's lattice, north up: at full resolution, then overviews of half
 * the size each until one fits into a tile.
 */
export function levelsOf({ south, north, west, east }: LatticeCells): RasterLevel[] {
  const levels: RasterLevel[] = [];
  for (let scale = 1; ; scale *= 2) {
    const [width, height] = [east - west + 1, north - south + 1].map((cells) => Math.ceil(cells / scale));
    levels.push({ scale, width, height });
    if (Math.max(width, height) <= TILE_SIZE) return levels;
  }
}

export function* tilesOf(cells: LatticeCells, bands: number): Generator<RasterTile> {
  for (const [level, { width, height }] of levelsOf(cells).entries()) {
    let at = 0;
    for (let band = 0; band < bands; band++)
      for (let row = 0; row * TILE_SIZE < height; row++)
        for (let column = 0; column * TILE_SIZE < width; column++)
          yield { level, at: at++, band, row, column };
  }
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** A higher level takes 1.5 times as long and saves 1 % of the bytes. */
const DEFLATE_LEVEL = 4;

/**
 * Writes a tile: float32 with 4 decimals, NaN where there is no point. A pixel of an overview is the mean of the points in
 * it, since nothing is known of the other cells.
 */
export function encodeTile(
  { surface, tile }: { readonly surface: Surface; readonly tile: RasterTile },
  { data }: Predictor,
) {
  const { row, column } = data.grid.index;
  const { points, cells } = surface;
  const values = bandValues(surface, tile.band);
  const size = TILE_SIZE << tile.level;
  const north = cells.north - tile.row * size;
  const west = cells.west + tile.column * size;
  const sums = new Uint32Array(TILE_SIZE * TILE_SIZE);
  const counts = new Uint32Array(TILE_SIZE * TILE_SIZE);
  /** The position of the first point that lies in a row of the lattice or north of it. */
  const firstIn = (minRow: number) => firstIndex(points.length, (at) => row[points[at]] < minRow);
  const end = firstIn(north + 1);
  for (let position = firstIn(north - size + 1); position < end; position++) {
    const point = points[position];
    const x = (column[point] - west) >> tile.level;
    if (x < 0 || x >= TILE_SIZE) continue;
    const at = ((north - row[point]) >> tile.level) * TILE_SIZE + x;
    sums[at] += values[position];
    counts[at]++;
  }
  const pixels = new Float32Array(sums.length).fill(Number.NaN);
  for (let at = 0; at < pixels.length; at++)
    if (counts[at] > 0) pixels[at] = Math.round(sums[at] / counts[at]) / SCALE;
  return { bytes: new Uint8Array(deflateSync(differences(pixels), { level: DEFLATE_LEVEL })) };
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
