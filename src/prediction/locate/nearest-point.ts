import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { type PointIndex, pointAt } from '../artefacts/point-index.js';
import { distanceKm, EARTH_RADIUS_KM, haversin, RADIANS } from './great-circle.js';

/** By how much boxes are widened, in degrees, so that rounding never excludes a point: a tenth of a millimetre. */
const BOX_MARGIN = 1e-9;

/**
 * Finds the nearest grid point by great-circle distance, exactly. Nearly all places lie between four nodes of the lattice
 * that are points: the nearest is one of these. For the others, `find` walks the KD-tree as KDBush's `range` does, with a
 * box that shrinks to the nearest point so far, and without an array of results. docs/performance.md compares them; tests
 * compare them with `geokdbush.around` and with a search of all points.
 */
export class NearestPoint {
  /** Great-circle distance in km of the point found last. */
  distanceKm = Number.NaN;

  readonly #tree: KDBush;
  readonly #maxHaversine: number;

  // The state of one search.
  #longitude = 0;
  #latitude = 0;
  #cosLatitude = 1;
  #best = -1;
  #bestHaversine = 0;
  /** The middle and half the sides, in degrees, of the box that holds every point as near as the nearest so far. */
  #middleLongitude = 0;
  #reachEast = 0;
  #reachNorth = 0;

  /** @param searchRadiusKm Infinity searches the whole sphere */
  constructor(
    private readonly index: PointIndex,
    searchRadiusKm: number,
  ) {
    this.#tree = KDBush.from(index.tree);
    this.#maxHaversine = haversin(Math.min(searchRadiusKm / EARTH_RADIUS_KM, Math.PI));
  }

  /**
   * @returns the index of the nearest point within the search radius, of equally near ones the lowest, or -1; sets
   *   `distanceKm`
   */
  find(longitude: number, latitude: number): number {
    this.#longitude = longitude;
    this.#latitude = latitude;
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    if (!this.#searchCell()) this.#searchTree();
    this.distanceKm = distanceKm(this.#bestHaversine);
    return this.#best;
  }

  /** @returns the index of the nearest point: that of `find`, if there is one, else one at any distance; sets `distanceKm` */
  findAnywhere(longitude: number, latitude: number): number {
    const found = this.find(longitude, latitude);
    if (found !== -1) return found;
    const [nearest] = around(this.#tree, longitude, latitude, 1);
    const { longitudes, latitudes, column, row } = this.index;
    this.distanceKm = distanceKm(this.#haversineTo(longitudes[column[nearest]], latitudes[row[nearest]]));
    return nearest;
  }

  /**
   * Searches the corners of the place's cell of the lattice.
   * @returns false where one of them is no point, or none is within the radius
   */
  #searchCell(): boolean {
    const { latitudes, longitudes, stepsPerDegree } = this.index;
    const row = Math.floor((this.#latitude - latitudes[0]) * stepsPerDegree);
    const column = Math.floor((this.#longitude - longitudes[0]) * stepsPerDegree);
    this.#best = -1;
    this.#bestHaversine = this.#maxHaversine;
    return this.#compareCorners(row, column) && this.#compareCorners(row + 1, column) && this.#best !== -1;
  }

  /** Compares the corners of a cell on a row of the lattice. @returns false where one of them is no point */
  #compareCorners(row: number, column: number): boolean {
    const { latitudes, longitudes } = this.index;
    const west = pointAt(this.index, row, column);
    const east = pointAt(this.index, row, column + 1);
    if (west === -1 || east === -1) return false;
    const toWest = this.#haversineTo(longitudes[column], latitudes[row]);
    const toEast = this.#haversineTo(longitudes[column + 1], latitudes[row]);
    const haversine = Math.min(toWest, toEast);
    if (haversine < this.#bestHaversine) {
      this.#bestHaversine = haversine;
      this.#best = toWest <= toEast ? west : east; // the lowest index of equals
    }
    return true;
  }

  #searchTree(): void {
    this.#best = -1;
    this.#shrinkTo(this.#maxHaversine);
    this.#searchFrom(this.#longitude);
    // Across the antimeridian.
    if (this.#longitude - this.#reachEast < -180) this.#searchFrom(this.#longitude + 360);
    if (this.#longitude + this.#reachEast > 180) this.#searchFrom(this.#longitude - 360);
  }

  #searchFrom(middleLongitude: number): void {
    this.#middleLongitude = middleLongitude;
    this.#searchSubtree(0, this.#tree.ids.length - 1, 0);
  }

  /** Searches the points of the tree at positions `left` to `right`, which are divided by longitude (0) or latitude (1). */
  #searchSubtree(left: number, right: number, axis: number): void {
    const { coords, nodeSize } = this.#tree;
    while (right - left > nodeSize) {
      const middle = (left + right) >> 1;
      const distance = coords[2 * middle + axis] - (axis === 0 ? this.#middleLongitude : this.#latitude);
      // First the half that holds the place, which shrinks the box.
      if (distance >= 0) this.#searchSubtree(left, middle - 1, 1 - axis);
      else this.#searchSubtree(middle + 1, right, 1 - axis);
      if (Math.abs(distance) > (axis === 0 ? this.#reachEast : this.#reachNorth)) return;
      this.#compare(middle);
      if (distance >= 0) left = middle + 1;
      else right = middle - 1;
      axis = 1 - axis;
    }
    const middleLongitude = this.#middleLongitude;
    const middleLatitude = this.#latitude;
    let reachEast = this.#reachEast;
    let reachNorth = this.#reachNorth;
    for (let at = 2 * left; at <= 2 * right; at += 2) {
      if (Math.abs(coords[at] - middleLongitude) > reachEast) continue;
      if (Math.abs(coords[at + 1] - middleLatitude) > reachNorth) continue;
      this.#compare(at >> 1);
      reachEast = this.#reachEast;
      reachNorth = this.#reachNorth;
    }
  }

  #compare(position: number): void {
    const { coords, ids } = this.#tree;
    const haversine = this.#haversineTo(coords[2 * position], coords[2 * position + 1]);
    if (!(haversine <= this.#bestHaversine)) return; // nor NaN
    const point = ids[position];
    if (haversine < this.#bestHaversine) this.#shrinkTo(haversine);
    else if (this.#best !== -1 && this.#best < point) return;
    this.#best = point;
  }

  /** The haversine of the angle between the place and another. */
  #haversineTo(longitude: number, latitude: number): number {
    const ofLatitudes = haversin((latitude - this.#latitude) * RADIANS);
    const cosines = this.#cosLatitude * Math.cos(latitude * RADIANS);
    const ofLongitudes = haversin((longitude - this.#longitude) * RADIANS);
    // Rounding may take the haversine of antipodes above 1.
    return Math.min(1, ofLatitudes + cosines * ofLongitudes);
  }

  /** Shrinks the box to the circle of an angle, which is given as its haversine. */
  #shrinkTo(haversine: number): void {
    this.#bestHaversine = haversine;
    const sine = Math.sqrt(haversine); // of half the angle
    this.#reachNorth = (2 * asinOrMore(sine)) / RADIANS + BOX_MARGIN;
    // The meridians that touch the circle are asin(sin(angle) / cos(latitude)) away. A circle around a pole meets all.
    const isAtPole = Math.abs(this.#latitude) + this.#reachNorth >= 90;
    const ratio = (2 * sine) / this.#cosLatitude;
    this.#reachEast = isAtPole || ratio > 1 ? 360 : asinOrMore(ratio) / RADIANS + BOX_MARGIN;
  }
}

/** The arcsine of a number from 0 to 1, or somewhat more: (asin(x) - x) / x^3 rises from 1/6 to pi/2 - 1. */
function asinOrMore(x: number): number {
  return x + (Math.PI / 2 - 1) * x * x * x;
}
