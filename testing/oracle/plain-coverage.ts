/** A GeoJSON position in degrees: longitude, latitude. */
type Position = readonly number[];

/** Rings of a polygon: its outline, then its holes. */
export type Polygon = readonly (readonly Position[])[];

/**
 * Whether a polygon contains a place, by casting a ray east and counting the edges it crosses. Its outline belongs to it.
 * See W. R. Franklin, "PNPOLY", for the crossing test.
 */
export function polygonContains(polygon: Polygon, longitude: number, latitude: number): boolean {
  let inside = false;
  for (const ring of polygon) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [x, y] = ring[i] as [number, number];
      const [previousX, previousY] = ring[j] as [number, number];
      const isBetween =
        Math.min(x, previousX) <= longitude &&
        longitude <= Math.max(x, previousX) &&
        Math.min(y, previousY) <= latitude &&
        latitude <= Math.max(y, previousY);
      if (isBetween && (previousX - x) * (latitude - y) === (previousY - y) * (longitude - x)) return true;
      const crossesLatitude = y > latitude !== previousY > latitude;
      if (!crossesLatitude) continue;
      const crossing = x + ((latitude - y) / (previousY - y)) * (previousX - x);
      if (longitude < crossing) inside = !inside;
    }
  }
  return inside;
}
