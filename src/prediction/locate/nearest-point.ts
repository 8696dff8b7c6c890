import type { PointIndex } from '../artefacts/point-index.js';
import { distanceKm, EARTH_RADIUS_KM, haversin, RADIANS } from './great-circle.js';

/**
 * Finds the nearest grid point by great-circle distance, exactly, within a radius; of equally near points the one with
 * the lowest index, which is the southernmost, then the westernmost.
 *
 * Searches the rows of the lattice from the place's own outward, and in each row the points from the place outward, as
 * long as one can be nearer than the nearest so far. Tests compare it with `geokdbush.around` and with a search of all
 * points.
 */
export class NearestPoint {
  /** Great-circle distance in km of the point found last. */
  distanceKm = Number.NaN;

  readonly #latitudes: Float64Array;
  readonly #longitudes: Float64Array;
  readonly #column: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #blocksPerRow: number;
  readonly #rowsPerDegree: number;
  readonly #blocksPerDegree: number;
  readonly #blockColumns: number;
  readonly #maxHaversine: number;

  // The state of one search.
  #longitude = 0;
  #turn = 0;
  #latitude = 0;
  #cosLatitude = 1;
  #best = -1;
  #bestHaversine = 0;

  /** @param searchRadiusKm Infinity searches the whole sphere */
  constructor(index: PointIndex, searchRadiusKm: number) {
    this.#latitudes = index.latitudes;
    this.#longitudes = index.longitudes;
    this.#column = index.column;
    this.#starts = index.starts;
    this.#blocksPerRow = index.blocksPerRow;
    this.#rowsPerDegree = index.stepsPerDegree;
    this.#blockColumns = index.blockColumns;
    this.#blocksPerDegree = index.stepsPerDegree / index.blockColumns;
    this.#maxHaversine = haversin(Math.min(searchRadiusKm / EARTH_RADIUS_KM, Math.PI));
  }

  /** @returns the index of the point exactly at a place, as surfaces and plans ask for, or -1 */
  at(longitude: number, latitude: number): number {
    const row = clamp(
      Math.round((latitude - this.#latitudes[0]) * this.#rowsPerDegree),
      this.#latitudes.length,
    );
    if (this.#latitudes[row] !== latitude) return -1;
    const east = Math.round((longitude - this.#longitudes[0]) * this.#rowsPerDegree);
    const column = clamp(east, this.#longitudes.length);
    if (this.#longitudes[column] !== longitude) return -1;
    const block = row * this.#blocksPerRow + Math.floor(column / this.#blockColumns);
    for (let point = this.#starts[block]; point < this.#starts[block + 1]; point++)
      if (this.#column[point] === column) return point;
    return -1;
  }

  /** @returns the index of the nearest point within the search radius, or -1; sets `distanceKm`. */
  find(longitude: number, latitude: number): number {
    this.#longitude = longitude;
    this.#latitude = latitude;
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    this.#best = -1;
    this.#bestHaversine = this.#maxHaversine;
    this.#search(0);
    // The shorter way to points more than 180 degrees east or west crosses the antimeridian.
    if (longitude - this.#longitudes[0] > 180) this.#search(-360);
    if (this.#longitudes[this.#longitudes.length - 1] - longitude > 180) this.#search(360);
    this.distanceKm = distanceKm(this.#bestHaversine);
    return this.#best;
  }

  /** @param turn degrees added to the longitude: points up to 180 degrees east and west of the sum are found */
  #search(turn: number): void {
    this.#turn = turn;
    const rows = this.#latitudes.length;
    const fromSouth = (this.#latitude - this.#latitudes[0]) * this.#rowsPerDegree;
    const fromWest = (this.#longitude + turn - this.#longitudes[0]) * this.#blocksPerDegree;
    const row = clamp(Math.round(fromSouth), rows);
    const block = clamp(Math.floor(fromWest), this.#blocksPerRow);
    this.#searchRow(row, block);
    for (let north = row + 1; north < rows && this.#searchRow(north, block); north++);
    for (let south = row - 1; south >= 0 && this.#searchRow(south, block); south--);
  }

  /** @returns false if neither this row nor one farther north or south has a nearer point */
  #searchRow(row: number, block: number): boolean {
    const latitude = this.#latitudes[row];
    const ofLatitudes = haversin((latitude - this.#latitude) * RADIANS);
    if (ofLatitudes > this.#bestHaversine) return false;
    const cosines = this.#cosLatitude * Math.cos(latitude * RADIANS);
    const firstBlock = row * this.#blocksPerRow;
    const first = this.#starts[firstBlock];
    const start = this.#starts[firstBlock + block];
    const end = this.#starts[firstBlock + this.#blocksPerRow];
    for (let point = start; point < end; point++) {
      // Of the block's own points some may lie to the west, in the order from far to near.
      if (!this.#consider(point, ofLatitudes, cosines) && this.#degreesEast(point) > 0) break;
    }
    for (let point = start - 1; point >= first && this.#consider(point, ofLatitudes, cosines); point--);
    return true;
  }

  /** @returns false if neither this point nor one farther in the row is nearer than the nearest so far */
  #consider(point: number, ofLatitudes: number, cosines: number): boolean {
    const minimum = ofLatitudes + cosines * haversinOrLess(this.#degreesEast(point) * RADIANS);
    if (minimum > this.#bestHaversine) return false;
    const ofLongitudes = haversin((this.#longitudes[this.#column[point]] - this.#longitude) * RADIANS);
    // Rounding may take the haversine of antipodes above 1.
    const haversine = Math.min(1, ofLatitudes + cosines * ofLongitudes);
    const isNearer = haversine < this.#bestHaversine;
    if (isNearer || (haversine === this.#bestHaversine && (this.#best === -1 || point < this.#best))) {
      this.#best = point;
      this.#bestHaversine = haversine;
    }
    return true;
  }

  /** How far a point is east of the place. */
  #degreesEast(point: number): number {
    return this.#longitudes[this.#column[point]] - this.#longitude - this.#turn;
  }
}

/** A number as an index below `count`. */
function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}

/** The haversine of an angle in radians or slightly less, so that rounding never excludes the nearest point itself. */
function haversinOrLess(angle: number): number {
  // sin(x)^2 = x^2 - x^4 / 3 + ... is never less than its first two terms.
  const square = (angle * angle) / 4;
  return (square - (square * square) / 3) * (1 - 1e-9);
}
