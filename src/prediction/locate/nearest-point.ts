import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { type PointIndex, pointAt } from '../artefacts/point-index.js';

/** Mean earth radius (IUGG), km: the sphere on which every distance of the interface is measured. */
export const EARTH_RADIUS_KM = 6371.0088;

export const RADIANS = Math.PI / 180;

/** The distance of antipodes. */
const FARTHEST_KM = Math.PI * EARTH_RADIUS_KM;

/** By how much boxes are widened, in degrees, so that rounding never excludes a point: a tenth of a millimetre. */
const BOX_MARGIN = 1e-9;

/** Boxes are searched from this radius on: larger ones have many points of a fine grid. */
const FIRST_RADIUS_KM = 2;

/**
 * Finds the nearest grid point by great-circle distance, exactly. Nearly all places lie in a cell whose four corners
 * are grid points: the nearest is one of these. For the others, a KD-tree of the border finds the points in a box.
 * Tests compare it with `geokdbush.around` and with a search of all points.
 */
export class NearestPoint {
  /** Great-circle distance in km of the point found last. */
  distanceKm = Number.NaN;

  readonly #tree: KDBush;

  // The state of one search.
  #longitude = 0;
  #latitude = 0;
  #cosLatitude = 1;
  #best = -1;
  #bestHaversine = 0;

  /** @param searchRadiusKm at most 100: no circle reaches points of a grid across a pole or the antimeridian */
  constructor(
    private readonly index: PointIndex,
    private readonly searchRadiusKm: number,
  ) {
    this.#tree = KDBush.from(index.tree);
  }

  /** @returns the nearest point within the search radius, of equally near ones the first, or -1; sets `distanceKm` */
  find(longitude: number, latitude: number): number {
    this.#longitude = longitude;
    this.#latitude = latitude;
    this.#cosLatitude = Math.cos(latitude * RADIANS);
    if (!this.#searchCell(this.searchRadiusKm)) this.#searchBoxes();
    this.distanceKm = kmOfHaversine(this.#bestHaversine);
    return this.#best;
  }

  /** @returns the nearest point: as `find`, or at any distance if that finds none; sets `distanceKm` */
  findAnywhere(longitude: number, latitude: number): number {
    const found = this.find(longitude, latitude);
    if (found !== -1) return found;
    if (!this.#searchCell(FARTHEST_KM)) {
      const [nearest] = around(this.#tree, longitude, latitude, 1);
      this.#compareBorder(nearest);
    }
    this.distanceKm = kmOfHaversine(this.#bestHaversine);
    return this.#best;
  }

  /**
   * Searches the corners of the place's cell of the lattice.
   * @returns false where one of them is no point, or none is within the radius
   */
  #searchCell(radiusKm: number): boolean {
    const { latitudes, longitudes, stepsPerDegree } = this.index;
    const row = Math.floor((this.#latitude - latitudes[0]) * stepsPerDegree);
    const column = Math.floor((this.#longitude - longitudes[0]) * stepsPerDegree);
    this.#begin(radiusKm);
    return this.#compareAt(row, column) && this.#compareAt(row + 1, column) && this.#best !== -1;
  }

  /** Compares the corners of a cell on a row of the lattice. @returns false where one of them is no point */
  #compareAt(row: number, column: number): boolean {
    const { longitudes, latitudes } = this.index;
    const west = pointAt(this.index, row, column);
    const east = pointAt(this.index, row, column + 1);
    if (west === -1 || east === -1) return false;
    this.#compare(west, longitudes[column], latitudes[row]);
    this.#compare(east, longitudes[column + 1], latitudes[row]);
    return true;
  }

  /** Searches boxes around circles, up to the search radius, until a point lies within one. */
  #searchBoxes(): void {
    const { searchRadiusKm } = this;
    let radiusKm = 0;
    do {
      radiusKm = Math.min(Math.max(4 * radiusKm, FIRST_RADIUS_KM), searchRadiusKm);
      this.#begin(radiusKm);
      const [x, y, angle] = [this.#longitude, this.#latitude, radiusKm / EARTH_RADIUS_KM];
      const north = angle / RADIANS + BOX_MARGIN;
      // The meridians that touch the circle.
      const east = Math.asin(Math.min(1, Math.sin(angle) / this.#cosLatitude)) / RADIANS + BOX_MARGIN;
      for (const each of this.#tree.range(x - east, y - north, x + east, y + north))
        this.#compareBorder(each);
    } while (this.#best === -1 && radiusKm < searchRadiusKm);
  }

  #compareBorder(at: number): void {
    const { border, longitudes, latitudes, column, row } = this.index;
    const point = border[at];
    this.#compare(point, longitudes[column[point]], latitudes[row[point]]);
  }

  #begin(radiusKm: number): void {
    this.#best = -1;
    this.#bestHaversine = haversin(radiusKm / EARTH_RADIUS_KM);
  }

  #compare(point: number, longitude: number, latitude: number): void {
    const haversine = this.#haversineTo(longitude, latitude);
    if (!(haversine <= this.#bestHaversine)) return; // nor NaN
    if (haversine === this.#bestHaversine && this.#best !== -1 && this.#best < point) return;
    this.#bestHaversine = haversine;
    this.#best = point;
  }

  /** The haversine of the angle between the place and another. */
  #haversineTo(longitude: number, latitude: number): number {
    const ofLatitudes = haversin((latitude - this.#latitude) * RADIANS);
    const cosines = this.#cosLatitude * Math.cos(latitude * RADIANS);
    const ofLongitudes = haversin((longitude - this.#longitude) * RADIANS);
    return Math.min(1, ofLatitudes + cosines * ofLongitudes); // rounding may take that of antipodes above 1
  }
}

/** haversin(a) = sin^2(a / 2), of an angle in radians. */
export function haversin(angle: number): number {
  const s = Math.sin(angle / 2);
  return s * s;
}

/** Great-circle distance in km from the haversine of the central angle. */
export function kmOfHaversine(haversine: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversine));
}
