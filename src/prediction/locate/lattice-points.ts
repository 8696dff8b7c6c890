import { firstPointAt, type PointIndex } from '../artefacts/point-index.js';
import type { Box } from '../artefacts/regions.js';

/** A range of rows and columns of the grid's lattice, both ends included; empty if north < south or east < west. */
export type LatticeCells = Box;

/** Grid points in every nth row and column of a range of cells, n = `step`; see `latticePoints`. */
export interface LatticePoints {
  readonly cells: LatticeCells;
  readonly step: number;
  /** Their indexes, ascending: from south to north, and in a row from west to east. */
  readonly points: Int32Array;
}

/**
 * The grid points within a box or, if these are too many, those of the finest coarser lattice that has few enough. Its
 * rows and columns are counted from the south-western corner of the grid. If such a lattice has no point of the box, it
 * and all coarser ones are counted from the first point of the box instead, and so have at least that point.
 */
export function latticePoints(index: PointIndex, box: Box, maxPoints: number): LatticePoints {
  const cells = cellsWithin(index, box);
  const points = new Int32Array(Math.min(maxPoints, index.row.length));
  let origin = { row: 0, column: 0 };
  let count = collect(index, cells, 1, origin, points);
  const first = { row: index.row[points[0]], column: index.column[points[0]] };
  let step = 1;
  while (count > maxPoints) {
    count = collect(index, cells, ++step, origin, points);
    if (count > 0) continue;
    origin = first;
    count = collect(index, cells, step, origin, points);
  }
  return { cells, step, points: points.slice(0, count) };
}

/** The cells whose centres lie within a box, edges included. */
function cellsWithin({ latitudes, longitudes }: PointIndex, box: Box): LatticeCells {
  return {
    south: latitudes.findLastIndex((degrees) => degrees < box.south) + 1,
    north: latitudes.findLastIndex((degrees) => degrees <= box.north),
    west: longitudes.findLastIndex((degrees) => degrees < box.west) + 1,
    east: longitudes.findLastIndex((degrees) => degrees <= box.east),
  };
}

/**
 * Collects the points of a lattice in a range of cells, as far as there is space.
 * @param origin a row and a column of the lattice; no point of the range lies in a row south of it
 * @returns their number if there is space for all, otherwise a larger number than `points` holds
 */
function collect(
  index: PointIndex,
  { south, north, west, east }: LatticeCells,
  step: number,
  origin: { readonly row: number; readonly column: number },
  points: Int32Array,
): number {
  let count = 0;
  for (let row = origin.row; row <= north && count <= points.length; row += step) {
    if (row < south) continue;
    const end = firstPointAt(index, row, east + 1);
    for (let point = firstPointAt(index, row, west); point < end; point++) {
      if ((index.column[point] - origin.column) % step !== 0) continue;
      if (count < points.length) points[count] = point;
      count++;
    }
  }
  return count;
}
