import type { MultiPolygon, Polygon } from 'geojson';
import type { Unit } from '../state/units.js';
import { boxOf } from '../state/units.js';
import type { UnitPoint } from './unit-bands.js';

type Rectangle = [[number, number][]];

/**
 * Divides a unit along the cells of the grid: each place belongs to its nearest data point, so that the parts cover the
 * unit.
 * @param classOf the class of a point, from 0
 * @param step degrees between points
 * @returns a geometry for each class that has a part of the unit
 */
export async function divide(
  unit: Unit,
  points: readonly UnitPoint[],
  classOf: (point: UnitPoint) => number,
  step: number,
): Promise<Map<number, Polygon | MultiPolygon>> {
  const box = boxOf([unit]);
  const origin = points[0];
  if (box === null || origin === undefined) return new Map();
  const { intersection, union } = await import('polyclip-ts');
  const column = (longitude: number) => Math.round((longitude - origin.longitude) / step);
  const row = (latitude: number) => Math.round((latitude - origin.latitude) / step);
  const runs = new Map<number, Rectangle[]>();
  for (let y = row(box[1]); y <= row(box[3]); y++) {
    const latitude = origin.latitude + y * step;
    let start = column(box[0]);
    let current = classAt(points, classOf, origin.longitude + start * step, latitude);
    for (let x = start + 1; x <= column(box[2]) + 1; x++) {
      const next = x > column(box[2]) ? -1 : classAt(points, classOf, origin.longitude + x * step, latitude);
      if (next === current) continue;
      const [west, east] = [start, x].map((each) => origin.longitude + (each - 0.5) * step) as [
        number,
        number,
      ];
      const [south, north] = [y, y + 1].map((each) => origin.latitude + (each - 0.5) * step) as [
        number,
        number,
      ];
      const ring: [number, number][] = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ];
      runs.set(current, [...(runs.get(current) ?? []), [ring]]);
      start = x;
      current = next;
    }
  }
  const whole = unit.geometry.coordinates as Parameters<typeof intersection>[0];
  return new Map(
    [...runs]
      .sort(([a], [b]) => a - b)
      .flatMap(([each, rectangles]) => {
        const [first, ...others] = rectangles;
        const part = intersection(whole, union(first, ...others));
        if (part.length === 0) return [];
        const geometry: Polygon | MultiPolygon =
          part.length === 1
            ? { type: 'Polygon', coordinates: part[0] }
            : { type: 'MultiPolygon', coordinates: part };
        return [[each, geometry] as const];
      }),
  );
}

/** The class of the point that is nearest to a place. */
function classAt(
  points: readonly UnitPoint[],
  classOf: (point: UnitPoint) => number,
  longitude: number,
  latitude: number,
): number {
  const across = Math.cos((latitude * Math.PI) / 180);
  const distance = (point: UnitPoint) =>
    ((point.longitude - longitude) * across) ** 2 + (point.latitude - latitude) ** 2;
  return classOf(points.reduce((best, point) => (distance(point) < distance(best) ? point : best)));
}
