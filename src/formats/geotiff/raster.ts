import type { PointIndex } from '../../prediction/artefacts/point-index.js';
import type { Box } from '../../prediction/artefacts/regions.js';

/** Cells of the grid's lattice as pixels, north up; plain data that can be passed to another thread. */
export interface Raster {
  /** Row of the lattice that is the first of the raster, and column of the lattice that is its first. */
  readonly north: number;
  readonly west: number;
  readonly width: number;
  readonly height: number;
}

/** Rows and columns of a tile. */
export const TILE_SIZE = 256;

/** The raster at full resolution (scale 1), or an overview of it. */
export interface RasterLevel {
  /** Rows and columns of the raster in a row and a column of the level. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  readonly tilesAcross: number;
  readonly tilesDown: number;
}

/** A tile of a level in one band. */
export interface RasterTile {
  readonly scale: number;
  readonly band: number;
  /** Its position among the tiles of its level, from the north-west. */
  readonly row: number;
  readonly column: number;
}

/** The cells whose centres lie within a box, edges included; undefined where there are none. */
export function rasterWithin({ latitudes, longitudes }: PointIndex, box: Box): Raster | undefined {
  const south = latitudes.findIndex((degrees) => degrees >= box.south);
  const north = latitudes.findLastIndex((degrees) => degrees <= box.north);
  const west = longitudes.findIndex((degrees) => degrees >= box.west);
  const east = longitudes.findLastIndex((degrees) => degrees <= box.east);
  if (south === -1 || west === -1 || north < south || east < west) return undefined;
  return { north, west, width: east - west + 1, height: north - south + 1 };
}

/** The levels of a raster: at full resolution, then overviews of half the size each until one fits into a tile. */
export function levelsOf({ width, height }: Raster): RasterLevel[] {
  const levels: RasterLevel[] = [];
  for (let scale = 1; ; scale *= 2) {
    const size = { width: Math.ceil(width / scale), height: Math.ceil(height / scale) };
    const [tilesAcross, tilesDown] = [size.width, size.height].map((cells) => Math.ceil(cells / TILE_SIZE));
    levels.push({ scale, ...size, tilesAcross, tilesDown });
    if (tilesAcross * tilesDown === 1) return levels;
  }
}

/** The tiles of a level: those of the first band, then those of the second, and so on. */
export function tilesOf({ scale, tilesAcross, tilesDown }: RasterLevel, bands: number): RasterTile[] {
  const perBand = tilesAcross * tilesDown;
  return Array.from({ length: bands * perBand }, (_, index) => ({
    scale,
    band: Math.floor(index / perBand),
    row: Math.floor((index % perBand) / tilesAcross),
    column: index % tilesAcross,
  }));
}
