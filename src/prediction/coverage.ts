import pointInPolygon from 'point-in-polygon-hao';
import { boundsOf, type Region } from './regions.js';

type Polygon = Region['polygons'][number];

/** Tells whether a place lies in one of the regions; a place on an outline does. */
export class Coverage {
  readonly #polygons: { bounds: ReturnType<typeof boundsOf>; polygon: Polygon }[];

  constructor(regions: readonly Region[]) {
    this.#polygons = regions.flatMap((region) =>
      region.polygons.map((polygon) => ({ polygon, bounds: boundsOf({ ...region, polygons: [polygon] }) })),
    );
  }

  /** @param longitude degrees east @param latitude degrees north */
  contains(longitude: number, latitude: number): boolean {
    return this.#polygons.some(
      ({ bounds, polygon }) =>
        longitude >= bounds.west &&
        longitude <= bounds.east &&
        latitude >= bounds.south &&
        latitude <= bounds.north &&
        pointInPolygon([longitude, latitude], polygon) !== false,
    );
  }
}
