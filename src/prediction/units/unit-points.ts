import { firstPointAt, type PointIndex } from '../artefacts/point-index.js';
import { boundsBetween, type Outline } from './outline.js';

/** The most points that stand for a unit. */
export const MAX_UNIT_POINTS = 1000;

/** The nodes of the lattice that may lie inside an outline, and whether an outline's edges separate neighbours. */
interface NodeRaster {
  readonly firstRow: number;
  readonly firstColumn: number;
  readonly rows: number;
  readonly columns: number;
  /** By node, 1 where an odd number of edges passes between it and its western neighbour. */
  readonly changes: Uint8Array;
}

/**
 * Finds the grid points inside an outline by the even-odd rule: those from which a ray to the east crosses an odd number of
 * edges. Edges are straight lines of longitude and latitude, as GeoJSON says. A point on an edge that two units share is
 * inside exactly one of them. Tests compare it with a test of every point.
 */
export class UnitPoints {
  constructor(private readonly index: PointIndex) {}

  /**
   * @returns indexes of the points, ascending: all of them up to MAX_UNIT_POINTS; else those in every second, third, ...
   * row and column of the lattice, or, where none lie in these, every second, third, ... point
   */
  find(outline: Outline): Int32Array {
    const raster = this.#raster(outline);
    if (raster === undefined) return new Int32Array(0);
    const { count, points } = this.#pointsIn(raster, 1);
    if (count <= MAX_UNIT_POINTS) return points;
    const likely = Math.ceil(Math.sqrt(count / MAX_UNIT_POINTS));
    for (let every = Math.max(2, likely - 1); ; every++) {
      const coarse = this.#pointsIn(raster, every);
      // Narrow parts may all lie between the rows or columns: of their points every second, third, ... is taken.
      if (coarse.count === 0) return this.#pointsIn(raster, 1, Math.ceil(count / MAX_UNIT_POINTS)).points;
      if (coarse.count <= MAX_UNIT_POINTS) return coarse.points;
    }
  }

  #raster({ coordinates, rings }: Outline): NodeRaster | undefined {
    const { latitudes, longitudes } = this.index;
    const { south, west, north, east } = boundsBetween(coordinates, 0, coordinates.length / 2);
    const firstRow = firstAtLeast(latitudes, south);
    const firstColumn = firstAtLeast(longitudes, west);
    const rows = firstAtLeast(latitudes, north) - firstRow; // a ray along the northern edge crosses nothing
    const columns = firstAtLeast(longitudes, east) - firstColumn;
    if (rows <= 0 || columns <= 0) return undefined;
    // A column more, for edges that pass to the east of the last node.
    const width = columns + 1;
    const changes = new Uint8Array(rows * width);
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
        const from = Math.max(firstRow, firstAtLeast(latitudes, y));
        const to = Math.min(firstRow + rows, firstAtLeast(latitudes, coordinates[upper + 1]));
        for (let row = from; row < to; row++) {
          const crossing = firstAtLeast(longitudes, x + slope * (latitudes[row] - y)) - firstColumn;
          const column = crossing < 0 ? 0 : crossing > columns ? columns : crossing;
          changes[(row - firstRow) * width + column] ^= 1;
        }
      }
    }
    return { firstRow, firstColumn, rows, columns: width, changes };
  }

  /**
   * The first MAX_UNIT_POINTS points inside that lie in every second, third, ... row and column of the lattice, and how many there are.
   * @param stride takes the first of so many of these points
   */
  #pointsIn({ firstRow, firstColumn, rows, columns, changes }: NodeRaster, every: number, stride = 1) {
    const { column: columnOf } = this.index;
    const points = new Int32Array(MAX_UNIT_POINTS);
    let inside = 0;
    let count = 0;
    for (let row = Math.ceil(firstRow / every) * every; row < firstRow + rows; row += every) {
      const end = firstPointAt(this.index, row, firstColumn + columns);
      const ofRow = (row - firstRow) * columns;
      let column = 0;
      let isInside = changes[ofRow];
      for (let point = firstPointAt(this.index, row, firstColumn); point < end; point++) {
        const pointColumn = columnOf[point] - firstColumn;
        while (column < pointColumn) isInside ^= changes[ofRow + ++column];
        if (isInside === 0 || (every > 1 && columnOf[point] % every !== 0)) continue;
        if (inside++ % stride !== 0) continue;
        if (count < MAX_UNIT_POINTS) points[count] = point;
        count++;
      }
    }
    return { count, points: points.slice(0, Math.min(count, MAX_UNIT_POINTS)) };
  }
}

/** The index of the first of ascending values that is at least a limit; their number where none is. */
function firstAtLeast(values: Float64Array, limit: number): number {
  // Nearly equal steps: the guess is off by one at most, or beyond an end.
  const count = values.length;
  const first = values[0];
  const guess = Math.ceil(((limit - first) * (count - 1)) / (values[count - 1] - first));
  let index = guess > 0 ? (guess < count ? guess : count) : 0; // NaN becomes 0
  while (index > 0 && values[index - 1] >= limit) index--;
  while (index < count && values[index] < limit) index++;
  return index;
}
