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

export interface OutlineBounds {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}

/** The bounding box of the positions from `start` to before `end`, degrees. */
export function boundsBetween(coordinates: Float64Array, start: number, end: number): OutlineBounds {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = start; at < end; at++) {
    const longitude = coordinates[2 * at];
    const latitude = coordinates[2 * at + 1];
    if (longitude < west) west = longitude;
    if (longitude > east) east = longitude;
    if (latitude < south) south = latitude;
    if (latitude > north) north = latitude;
  }
  return { south, west, north, east };
}
