import { around } from 'geokdbush';
import KDBush from 'kdbush';

/** The sphere of the interface's distances, km. */
const EARTH_RADIUS_KM = 6371.0088;
/** The sphere geokdbush measures on, km. */
const GEOKDBUSH_RADIUS_KM = 6371;

/** Great-circle distance in km by the haversine formula. */
export function greatCircleKm(
  fromLongitude: number,
  fromLatitude: number,
  toLongitude: number,
  toLatitude: number,
): number {
  const radians = Math.PI / 180;
  const haversin = (angle: number) => Math.sin(angle / 2) ** 2;
  const h =
    haversin((toLatitude - fromLatitude) * radians) +
    Math.cos(fromLatitude * radians) *
      Math.cos(toLatitude * radians) *
      haversin((toLongitude - fromLongitude) * radians);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(h));
}

/** A KD-tree of points, each a longitude and a latitude. */
export function treeOf(points: readonly (readonly [longitude: number, latitude: number])[]): KDBush {
  const tree = new KDBush(points.length);
  for (const [longitude, latitude] of points) tree.add(longitude, latitude);
  tree.finish();
  return tree;
}

/**
 * The id of the point of a longitude-latitude index that is nearest to a place, or undefined where none lies within
 * `radiusKm`.
 */
export function nearestPoint(
  index: KDBush,
  longitude: number,
  latitude: number,
  radiusKm: number,
): number | undefined {
  const [point] = around(index, longitude, latitude, 1, (radiusKm * GEOKDBUSH_RADIUS_KM) / EARTH_RADIUS_KM);
  return point as number | undefined;
}
