import type KDBush from 'kdbush';
import { distanceKm, EARTH_RADIUS_KM, haversin, RADIANS } from './great-circle.js';

/**
 * Finds the nearest grid point by great-circle distance, exactly, within a radius; of equally near points the one with
 * the lowest id.
 *
 * Walks KDBush's own arrays with the longitude-latitude box of the circle that can still contain a nearer point; the box
 * shrinks with every nearer point found. Tests compare it with `geokdbush.around` and with a search of all points.
 */
export class NearestPoint {
  /** Great-circle distance in km of the point found last. */
  distanceKm = Number.NaN;

  readonly #ids: Uint16Array | Uint32Array;
  readonly #coordinates: Float64Array;
  readonly #nodeSize: number;
  readonly #maxHaversine: number;

  // The state of one search.
  #longitude = 0;
  #latitude = 0;
  #cosLatitude = 1;
  #best = -1;
  #bestHaversine = 0;
  #west = 0;
  #east = 0;
  #south = 0;
  #north = 0;

  /**
   * @param index KDBush over (longitude, latitude) in degrees, built with Float64Array
   * @param searchRadiusKm Infinity searches the whole sphere; fast where the nearest point is within a few hundred km
   */
  constructor(index: KDBush, searchRadiusKm: number) {
    this.#ids = index.ids;
    this.#coordinates = index.coords as Float64Array;
    this.#nodeSize = index.nodeSize;
    this.#maxHaversine = haversin(Math.min(searchRadiusKm / EARTH_RADIUS_KM, Math.PI));
  }

  /** @returns the id of the nearest point within the search radius, or -1; sets `distanceKm`. */
  find(longitude: number, latitude: number): number {
    this.#longitude = longitude;
    this.#latitude = latitude;
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    this.#best = -1;
    this.#bestHaversine = this.#maxHaversine;
    this.#shrinkBox();
    this.#search(0, this.#ids.length - 1, 0);
    this.distanceKm = distanceKm(this.#bestHaversine);
    return this.#best;
  }

  #search(left: number, right: number, axis: 0 | 1): void {
    if (right - left <= this.#nodeSize) {
      for (let i = left; i <= right; i++) this.#consider(i);
      return;
    }
    const middle = (left + right) >> 1;
    this.#consider(middle);
    const split = this.#coordinates[2 * middle + axis];
    const other = axis === 0 ? 1 : 0;
    const isBelow = axis === 0 ? this.#longitude < split : this.#latitude < split;
    // The side of the query first: points found there usually exclude the other.
    if (isBelow) this.#search(left, middle - 1, other);
    else this.#search(middle + 1, right, other);
    if (isBelow && split <= (axis === 0 ? this.#east : this.#north)) this.#search(middle + 1, right, other);
    else if (!isBelow && split >= (axis === 0 ? this.#west : this.#south))
      this.#search(left, middle - 1, other);
  }

  #consider(i: number): void {
    const latitude = this.#coordinates[2 * i + 1];
    if (latitude < this.#south || latitude > this.#north) return;
    const longitude = this.#coordinates[2 * i];
    if (longitude < this.#west || longitude > this.#east) return;
    const ofLatitudes = haversin((latitude - this.#latitude) * RADIANS);
    const ofLongitudes = haversin((longitude - this.#longitude) * RADIANS);
    // Rounding may take the haversine of antipodes above 1.
    const haversine = Math.min(
      1,
      ofLatitudes + this.#cosLatitude * Math.cos(latitude * RADIANS) * ofLongitudes,
    );
    if (haversine > this.#bestHaversine) return;
    const id = this.#ids[i];
    if (haversine === this.#bestHaversine && this.#best !== -1 && id > this.#best) return;
    this.#best = id;
    this.#bestHaversine = haversine;
    this.#shrinkBox();
  }

  /** Sets the box of longitude and latitude around the circle through the nearest point so far. */
  #shrinkBox(): void {
    const sinHalf = Math.sqrt(this.#bestHaversine);
    const latitudeReach = (2 * asinOrMore(sinHalf)) / RADIANS;
    this.#south = this.#latitude - latitudeReach;
    this.#north = this.#latitude + latitudeReach;
    const sinAngle = 2 * sinHalf * Math.sqrt(1 - this.#bestHaversine);
    const longitudeReach = asinOrMore(Math.min(1, sinAngle / this.#cosLatitude)) / RADIANS;
    this.#west = this.#longitude - longitudeReach;
    this.#east = this.#longitude + longitudeReach;
    // A circle around a pole has every longitude, one across the antimeridian both ends of their range.
    if (this.#south <= -90 || this.#north >= 90 || this.#west <= -180 || this.#east >= 180) {
      this.#west = Number.NEGATIVE_INFINITY;
      this.#east = Number.POSITIVE_INFINITY;
    }
  }
}

/** The arc sine or slightly more, so that rounding never excludes the nearest point itself. */
function asinOrMore(sine: number): number {
  // x + x^3 / 6 + 3 x^5 / 40 + ... is less than x + x^3 / 5 for x up to 0.5.
  return sine < 0.5 ? sine * (1 + sine * sine * 0.2 + 1e-9) : Math.asin(sine) * (1 + 1e-9);
}
