import { firstPointAt, type PointIndex } from '../artefacts/point-index.js';
import type { Box } from '../artefacts/regions.js';

/** Points of every `step`-th row and column of the grid's lattice, counted as `latticePoints` says. */
export interface LatticePoints {
  readonly step: number;
  /** Their indexes, ascending: from south to north, and in a row from west to east. */
  readonly points: Int32Array;
}

/**
 * The grid points within a box; where these are too many, those of the finest coarser lattice that has few enough. Its rows
 * and columns are counted from the grid's south-western corner or, from the first step on that has none of the box's points
 * so, from the first point of the box: at least that one is there.
 */
export function latticePoints(index: PointIndex, box: Box, maxPoints: number): LatticePoints {
  const points = new Int32Array(Math.min(maxPoints, index.row.length));
  let origin = { row: 0, column: 0 };
  let count = collect(index, box, 1, origin, points);
  if (count <= maxPoints) return { step: 1, points: points.slice(0, count) };
  const first = { row: index.row[points[0]], column: index.column[points[0]] };
  for (let step = 2; ; step++) {
    count = collect(index, box, step, origin, points);
    if (count === 0) {
      origin = first;
      count = collect(index, box, step, origin, points);
    }
    if (count <= maxPoints) return { step, points: points.slice(0, count) };
  }
}

/**
 * Collects the points of a lattice within a box, as far as there is space.
 * @param origin a row and a column of the lattice; no point of the box lies in a row to the south
 * @returns their number, or one that is too large
 */
function collect(
  index: PointIndex,
  box: Box,
  step: number,
  origin: { readonly row: number; readonly column: number },
  points: Int32Array,
): number {
  const { latitudes, longitudes, column } = index;
  const west = longitudes.findIndex((degrees) => degrees >= box.west);
  const east = longitudes.findLastIndex((degrees) => degrees <= box.east);
  if (west === -1 || east < west) return 0;
  let count = 0;
  for (let row = origin.row; row < latitudes.length && count <= points.length; row += step) {
    if (latitudes[row] < box.south || latitudes[row] > box.north) continue;
    const end = firstPointAt(index, row, east + 1);
    for (let point = firstPointAt(index, row, west); point < end; point++) {
      if ((column[point] - origin.column) % step !== 0) continue;
      if (count < points.length) points[count] = point;
      count++;
    }
  }
  return count;
}
