import { firstIndex, firstPointAt, type PointIndex } from '../artefacts/point-index.js';
import { boundsBetween } from '../artefacts/regions.js';
import type { Outline } from './outline.js';

export const MAX_UNIT_POINTS = 1000;
/** The most times that an outline may cross rows of the lattice: about half a second of work. */
const MAX_CROSSINGS = 2 ** 24;

/**
 * The grid points that represent a unit: all inside its outline up to MAX_UNIT_POINTS; else those in every nth row and
 * column of the lattice or, if none lie in these, every nth point.
 * @returns their indexes, ascending; undefined for an outline with more than MAX_CROSSINGS
 */
export function unitPoints(index: PointIndex, outline: Outline): Int32Array | undefined {
  const points = pointsInside(index, outline);
  if (points === undefined || points.length <= MAX_UNIT_POINTS) return points;
  const { row, column } = index;
  const likely = Math.ceil(Math.sqrt(points.length / MAX_UNIT_POINTS));
  for (let every = Math.max(2, likely - 1); ; every++) {
    const coarse = points.filter((point) => row[point] % every === 0 && column[point] % every === 0);
    // All parts of a narrow outline may lie between these rows or columns.
    const stride = Math.ceil(points.length / MAX_UNIT_POINTS);
    if (coarse.length === 0) return points.filter((_, i) => i % stride === 0);
    if (coarse.length <= MAX_UNIT_POINTS) return coarse;
  }
}

/**
 * The grid points inside an outline by the even-odd rule: those from which a ray to the east crosses an odd number of
 * edges. Edges are straight lines of longitude and latitude, as GeoJSON says. A point on an edge that two units share is
 * inside exactly one of them. Tests compare it with a test of every point.
 */
function pointsInside(index: PointIndex, { coordinates, rings }: Outline): Int32Array | undefined {
  const { latitudes, longitudes, column: columnOf } = index;
  const { south, north } = boundsBetween(coordinates, 0, coordinates.length / 2);
  const firstRow = firstAtLeast(latitudes, south);
  const rows = firstAtLeast(latitudes, north) - firstRow; // a ray along the northern edge crosses nothing
  // A column more, for edges that pass to the east of the last node.
  const width = longitudes.length + 1;
  /** By node, 1 where an odd number of edges passes between it and its western neighbour. */
  const changes = new Uint8Array(rows * width);
  let crossings = 0;
  for (const { start, end } of rings) {
    for (let at = start + 1; at < end; at++) {
      // From south to north, so that two units with the same edge find the same crossings.
      const isNorthward = coordinates[2 * at - 1] < coordinates[2 * at + 1];
      const lower = isNorthward ? 2 * at - 2 : 2 * at;
      const upper = isNorthward ? 2 * at : 2 * at - 2;
      const x = coordinates[lower];
      const y = coordinates[lower + 1];
      const slope = (coordinates[upper] - x) / (coordinates[upper + 1] - y);
      // From the lower end's row on, up to before the upper end's: an edge along a row crosses none.
      const to = firstAtLeast(latitudes, coordinates[upper + 1]);
      for (let row = firstAtLeast(latitudes, y); row < to; row++, crossings++)
        changes[(row - firstRow) * width + firstAtLeast(longitudes, x + slope * (latitudes[row] - y))] ^= 1;
      if (crossings > MAX_CROSSINGS) return undefined;
    }
  }
  const points: number[] = [];
  const end = firstPointAt(index, firstRow + rows, 0);
  let [node, isInside] = [-1, 0];
  for (let point = firstPointAt(index, firstRow, 0); point < end; point++) {
    // A row crosses a closed outline an even number of times: at its end, `isInside` is 0 again.
    const nodeOfPoint = (index.row[point] - firstRow) * width + columnOf[point];
    while (node < nodeOfPoint) isInside ^= changes[++node];
    if (isInside === 1) points.push(point);
  }
  return Int32Array.from(points);
}

/** The index of the first of ascending values that is at least a limit; their number where none is. */
function firstAtLeast(values: Float64Array, limit: number): number {
  return firstIndex(values.length, (index) => values[index] < limit);
}
