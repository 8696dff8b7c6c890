import type { Outline, Ring } from '../../../src/prediction/units/outline.js';

export type Position = readonly [longitude: number, latitude: number];
export type PolygonRings = readonly (readonly Position[])[];

/** The outline of polygons, each given as in GeoJSON: closed rings, the outer one first. */
export function outlineOf(...polygons: readonly PolygonRings[]): Outline {
  const rings: Ring[] = [];
  const positions: Position[] = [];
  polygons.forEach((ofPolygon, polygon) => {
    ofPolygon.forEach((ring, index) => {
      const start = positions.length;
      positions.push(...ring);
      rings.push({ start, end: positions.length, polygon, isHole: index > 0 });
    });
  });
  return { coordinates: Float64Array.from(positions.flat()), rings };
}

/** A ring around a place whose corners lie in random distances and equal angles, so that it does not cross itself. */
export function starAround(
  [longitude, latitude]: Position,
  radiusDegrees: number,
  corners: number,
  random: () => number,
): Position[] {
  const ring = Array.from({ length: corners }, (_, corner): Position => {
    const angle = (2 * Math.PI * corner) / corners;
    const radius = radiusDegrees * (0.4 + 0.6 * random());
    return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]];
}

/** The rectangle from south-west to north-east. */
export function rectangle(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
