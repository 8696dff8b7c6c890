import type { PointIndex } from '../artefacts/point-index.js';

/** A part of the map in degrees, its edges included; west is not east of east. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Points of every `step`-th row and column of the grid's lattice, counted from its south-western corner. */
export interface LatticePoints {
  readonly step: number;
  /** Their indexes, ascending: from south to north, and in a row from west to east. */
  readonly points: Int32Array;
}

/**
 * The grid points within a box; where these are too many, those of the finest coarser lattice that has few enough. It
 * may be one that has none.
 */
export function latticePoints(index: PointIndex, box: Box, maxPoints: number): LatticePoints {
  const points = new Int32Array(Math.min(maxPoints, index.row.length));
  for (let step = 1; ; step++) {
    const count = collect(index, box, step, points);
    if (count <= maxPoints) return { step, points: points.slice(0, count) };
  }
}

/** Collects the points of a lattice within a box, as far as there is space. @returns their number, or one that is too large */
function collect(index: PointIndex, box: Box, step: number, points: Int32Array): number {
  const { latitudes, longitudes, column, starts, blockColumns, blocksPerRow } = index;
  const west = longitudes.findIndex((degrees) => degrees >= box.west);
  const east = longitudes.findLastIndex((degrees) => degrees <= box.east);
  if (west === -1 || east < west) return 0;
  const [firstBlock, lastBlock] = [west, east].map((each) => Math.floor(each / blockColumns));
  let count = 0;
  for (let row = 0; row < latitudes.length && count <= points.length; row += step) {
    if (latitudes[row] < box.south || latitudes[row] > box.north) continue;
    const blocks = row * blocksPerRow;
    for (let point = starts[blocks + firstBlock]; point < starts[blocks + lastBlock + 1]; point++) {
      const at = column[point];
      if (at < west || at > east || at % step !== 0) continue;
      if (count < points.length) points[count] = point;
      count++;
    }
  }
  return count;
}
