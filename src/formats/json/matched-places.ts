import type { SharedGrid } from '../../prediction/artefacts/shared-grid.js';

/** What the JSON of sites says of their grid points, by the row of the site. */
export interface MatchedPlaces {
  /** Uint16 [rows]: rows of the lattice. */
  readonly latitude: Uint16Array;
  /** Uint16 [rows]: columns of the lattice. */
  readonly longitude: Uint16Array;
  /** Uint8 [rows]: indexes into the grid's `regions`. */
  readonly region: Uint8Array;
}

/**
 * Reads the grid for all rows of a run at once: the points lie far apart in memory, and a processor waits for several of
 * such accesses at the same time if nothing else is done between them.
 * @param points the grid point of each row
 */
export function matchedPlaces({ index, region }: SharedGrid, points: Int32Array): MatchedPlaces {
  const { row, column } = index;
  const places = {
    latitude: new Uint16Array(points.length),
    longitude: new Uint16Array(points.length),
    region: new Uint8Array(points.length),
  };
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    places.latitude[i] = row[point];
    places.longitude[i] = column[point];
    places.region[i] = region[point];
  }
  return places;
}
