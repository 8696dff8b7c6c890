import type KDBush from 'kdbush';
import { distanceKm, EARTH_RADIUS_KM, haversin, RADIANS } from './great-circle.js';

/**
 * Finds the nearest grid point by great-circle distance, exactly, within a radius.
 *
 * It walks KDBush's own arrays with a longitude-latitude box around the circle that can still hold a nearer point; the
 * box shrinks with every better point. `geokdbush.around` is the reference it equals point for point (of equally
 * near points the one with the lower id wins). The circle may contain neither a pole nor the antimeridian, which no
 * coverage of the service comes near.
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

  /** @param index KDBush over (longitude, latitude) in degrees, built with Float64Array. */
  constructor(index: KDBush, searchRadiusKm: number) {
    this.#ids = index.ids;
    this.#coordinates = index.coords as Float64Array;
    this.#nodeSize = index.nodeSize;
    this.#maxHaversine = haversin(searchRadiusKm / EARTH_RADIUS_KM);
  }

  /** @returns the id of the nearest point within the search radius, or -1; its distance is then in `distanceKm`. */
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
    // The side of the query first: what it finds usually prunes the other.
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
    const haversine =
      haversin((latitude - this.#latitude) * RADIANS) +
      this.#cosLatitude * Math.cos(latitude * RADIANS) * haversin((longitude - this.#longitude) * RADIANS);
    if (haversine > this.#bestHaversine) return;
    const id = this.#ids[i];
    if (haversine === this.#bestHaversine && this.#best !== -1 && id > this.#best) return;
    this.#best = id;
    this.#bestHaversine = haversine;
    this.#shrinkBox();
  }

  /** A box of longitude and latitude around the circle of the best distance so far, hardly larger than it must be. */
  #shrinkBox(): void {
    const sinHalf = Math.sqrt(this.#bestHaversine);
    const sinAngle = 2 * sinHalf * Math.sqrt(1 - this.#bestHaversine);
    const latitudeReach = (2 * asinOrMore(sinHalf)) / RADIANS;
    const longitudeReach = asinOrMore(Math.min(1, sinAngle / this.#cosLatitude)) / RADIANS;
    this.#south = this.#latitude - latitudeReach;
    this.#north = this.#latitude + latitudeReach;
    this.#west = this.#longitude - longitudeReach;
    this.#east = this.#longitude + longitudeReach;
  }
}

/** The arc sine or a little more, so that rounding never leaves the nearest point itself outside. */
function asinOrMore(sine: number): number {
  // x + x^3 / 6 + 3 x^5 / 40 + ... is less than x + x^3 / 5 for x up to 0.5.
  return sine < 0.5 ? sine * (1 + sine * sine * 0.2 + 1e-9) : Math.asin(sine) * (1 + 1e-9);
}
