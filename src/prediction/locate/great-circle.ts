/** Mean earth radius (IUGG), km: the sphere on which every distance of the interface is measured. */
export const EARTH_RADIUS_KM = 6371.0088;

export const RADIANS = Math.PI / 180;

/** haversin(a) = sin^2(a / 2), of an angle in radians. */
export function haversin(angle: number): number {
  const s = Math.sin(angle / 2);
  return s * s;
}

/** Great-circle distance in km from the haversine of the central angle. */
export function distanceKm(haversine: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
