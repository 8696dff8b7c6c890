import geodesic from 'geographiclib-geodesic';
import { boundsBetween } from '../artefacts/regions.js';

/**
 * The outline of a planting unit: its polygons, each an outer ring and the rings of its holes. Every ring is closed and
 * has at least 4 positions, of which no two neighbours are equal.
 */
export interface Outline {
  /** Longitude and latitude in degrees of every position of every ring, one ring after the other. */
  readonly coordinates: Float64Array;
  readonly rings: readonly Ring[];
}

export interface Ring {
  /** Its positions are those from `start` to before `end`; the last equals the first. */
  readonly start: number;
  readonly end: number;
  /** Index of its polygon. */
  readonly polygon: number;
  readonly isHole: boolean;
}

const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * The area of an outline on the ellipsoid WGS 84 in hectares, its edges being geodesics, by the algorithm of Karney (2013),
 * "Algorithms for geodesics", J. Geodesy 87, whose author keeps the library. The direction of rings does not matter.
 */
export function areaHa({ coordinates, rings }: Outline): number {
  let squareMetres = 0;
  for (const { start, end, isHole } of rings) {
    const polygon = new geodesic.PolygonArea.PolygonArea(geodesic.Geodesic.WGS84, false);
    for (let at = start; at < end - 1; at++) polygon.AddPoint(coordinates[2 * at + 1], coordinates[2 * at]);
    const area = Math.abs(polygon.Compute(false, true).area ?? 0);
    squareMetres += isHole ? -area : area;
  }
  return squareMetres / SQUARE_METRES_PER_HECTARE;
}

/** An outline that encloses a smaller share of the boxes around its outer rings is a line: that much is rounding. */
const MIN_SHARE_OF_BOXES = 1e-9;

/** The centroid of an outline in the plane of longitude and latitude; undefined where the outline encloses nothing there. */
export function centroid({ coordinates, rings }: Outline) {
  const [longitude, latitude] = coordinates;
  let [area, ofLongitude, ofLatitude, boxes] = [0, 0, 0, 0];
  for (const { start, end, isHole } of rings) {
    let [ringArea, ringLongitude, ringLatitude] = [0, 0, 0];
    // Relative to a position of the ring: the products of degrees would lose too many digits.
    const [x0, y0] = coordinates.subarray(2 * start);
    for (let at = start + 1; at < end; at++) {
      const x1 = coordinates[2 * at - 2] - x0;
      const y1 = coordinates[2 * at - 1] - y0;
      const x2 = coordinates[2 * at] - x0;
      const y2 = coordinates[2 * at + 1] - y0;
      const cross = x1 * y2 - x2 * y1;
      ringArea += cross / 2;
      ringLongitude += ((x1 + x2) * cross) / 6;
      ringLatitude += ((y1 + y2) * cross) / 6;
    }
    const { south, west, north, east } = boundsBetween(coordinates, start, end);
    if (!isHole) boxes += (north - south) * (east - west);
    const sign = ringArea < 0 === isHole ? 1 : -1; // outer rings count, holes are taken away
    area += sign * ringArea;
    ofLongitude += sign * (ringLongitude + (x0 - longitude) * ringArea);
    ofLatitude += sign * (ringLatitude + (y0 - latitude) * ringArea);
  }
  if (area <= MIN_SHARE_OF_BOXES * boxes) return undefined;
  return { longitude: longitude + ofLongitude / area, latitude: latitude + ofLatitude / area };
}
