import fc from 'fast-check';
import KDBush from 'kdbush';
import { describe, expect, test } from 'vitest';
import { NearestPoint } from '../../src/prediction/locate/nearest-point.js';
import { greatCircleKm, nearestPoint } from '../../testing/oracle/plain-nearest-point.js';
import { placeOf, readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { indexOf, type Place, pointSets, queries } from './support/synthetic-points.js';

/** The sphere of the interface's distances. */
const EARTH_RADIUS_KM = 6371.0088;

/** Haversine of the angle between two places: its order is the order of their distances, to the last bit. */
function haversine([longitude, latitude]: Place, [toLongitude, toLatitude]: Place): number {
  const radians = Math.PI / 180;
  const haversin = (angle: number) => Math.sin(angle / 2) ** 2;
  const ofParallels = haversin((toLatitude - latitude) * radians);
  const cosines = Math.cos(latitude * radians) * Math.cos(toLatitude * radians);
  return ofParallels + cosines * haversin((toLongitude - longitude) * radians);
}

/** Holds `find` against `around`, and where several points are equally near against the first of them. */
function expectAround(
  nearest: NearestPoint,
  index: KDBush,
  points: readonly Place[],
  query: Place,
  radiusKm: number,
): boolean {
  const [longitude, latitude] = query;
  const found = nearest.find(longitude, latitude);
  const around = nearestPoint(index, longitude, latitude, radiusKm);
  if (around === undefined || found === -1) {
    expect(found, `${query} within ${radiusKm} km`).toBe(around ?? -1);
    return false;
  }
  if (found !== around) {
    // Of equally near points `around` returns any, `find` the one with the lowest id.
    expect(haversine(query, points[found]), `${query}: ${found}, not ${around}`).toBe(
      haversine(query, points[around]),
    );
    expect(found, `of points equally near to ${query}`).toBeLessThan(around);
  }
  const distanceKm = greatCircleKm(longitude, latitude, ...points[found]);
  expect(Math.abs(nearest.distanceKm - distanceKm)).toBeLessThanOrEqual(1e-9 * Math.max(1, distanceKm));
  return true;
}

describe('the nearest point', () => {
  const { grid } = readPredictorData();
  const gridIndex = KDBush.from(grid.index);
  const gridPoints = Array.from(gridIndex.ids, (_, point): Place => {
    const { longitude, latitude } = placeOf(grid, point);
    return [longitude, latitude];
  });

  test('equals geokdbush.around at 20,000 places in and around both states, on the real grid', () => {
    const random = seededRandom(4);
    const nearest = new NearestPoint(gridIndex, searchRadiusKm);
    let found = 0;
    for (let i = 0; i < 20_000; i++) {
      const query: Place = [-126 + 11 * random(), 40.5 + 10 * random()];
      if (expectAround(nearest, gridIndex, gridPoints, query, searchRadiusKm)) found++;
    }
    expect(found).toBeGreaterThan(2000);
    expect(found).toBeLessThan(18_000);
  });

  test('is the point itself on every point of the real grid', () => {
    const nearest = new NearestPoint(gridIndex, searchRadiusKm);
    gridPoints.forEach((point, id) => {
      const found = nearest.find(...point);
      // The first of several points at one place.
      expect(gridPoints[found]).toEqual(point);
      expect(found).toBeLessThanOrEqual(id);
      expect(nearest.distanceKm).toBe(0);
    });
  });

  test('equals geokdbush.around midway between two near points and on the lines that part the index', () => {
    const random = seededRandom(5);
    const nearest = new NearestPoint(gridIndex, searchRadiusKm);
    const { coords } = gridIndex;
    for (let i = 0; i < 10_000; i++) {
      // Neighbours in the index are neighbours in space.
      const node = Math.floor(random() * (coords.length / 2 - 1));
      const [x, y, nextX, nextY] = coords.subarray(2 * node, 2 * node + 4) as unknown as number[];
      const midway: Place = [(x! + nextX!) / 2, (y! + nextY!) / 2];
      const onMeridian: Place = [x!, y! + 0.1 * (random() - 0.5)];
      const onParallel: Place = [x! + 0.1 * (random() - 0.5), y!];
      for (const query of [midway, onMeridian, onParallel])
        expectAround(nearest, gridIndex, gridPoints, query, searchRadiusKm);
    }
  });

  test.each([0.1, 0.5, 1, 20, 100, 500])('equals geokdbush.around within %d km', (radiusKm) => {
    const random = seededRandom(radiusKm);
    const nearest = new NearestPoint(gridIndex, radiusKm);
    for (let i = 0; i < 2000; i++) {
      const [x, y] = gridPoints[Math.floor(random() * gridPoints.length)];
      const reach = (2.5 * radiusKm) / 111;
      const query: Place = [x + reach * (random() - 0.5), y + reach * (random() - 0.5)];
      expectAround(nearest, gridIndex, gridPoints, query, radiusKm);
    }
  });

  test('equals geokdbush.around on any points, for any place and radius', () => {
    const radius = fc.double({ min: 0.1, max: 500, noNaN: true });
    const lookups = fc.array(queries, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(pointSets, lookups, radius, (points, queriesOf, radiusKm) => {
        const index = indexOf(points);
        const nearest = new NearestPoint(index, radiusKm);
        for (const query of queriesOf) expectAround(nearest, index, points, query(points), radiusKm);
      }),
      { numRuns: 500 },
    );
  });

  test('of equally near points is the one with the lowest id, wherever the index holds them', () => {
    fc.assert(
      fc.property(pointSets, queries, (points, query) => {
        const place = query(points);
        const nearest = new NearestPoint(indexOf(points), 500);
        const haversines = points.map((point) => haversine(place, point));
        const [smallest] = haversines.toSorted((a, b) => a - b);
        const isNear = smallest! <= Math.sin(500 / EARTH_RADIUS_KM / 2) ** 2;
        expect(nearest.find(...place)).toBe(isNear ? haversines.indexOf(smallest!) : -1);
      }),
      { numRuns: 500 },
    );
  });

  test('lies within the radius: a point just inside it counts, one just outside it does not', () => {
    const index = indexOf([[-121, 44]]);
    const query: Place = [-121.04, 44.02];
    const distanceKm = greatCircleKm(...query, -121, 44);
    expect(new NearestPoint(index, distanceKm * (1 + 1e-9)).find(...query)).toBe(0);
    expect(new NearestPoint(index, distanceKm * (1 - 1e-9)).find(...query)).toBe(-1);
  });

  test('is told with its distance on the sphere of the mean earth radius, 6371.0088 km', () => {
    const nearest = new NearestPoint(indexOf([[-121, 44]]), 200);
    nearest.find(-121, 45);
    // One degree of a great circle.
    expect(nearest.distanceKm).toBeCloseTo((EARTH_RADIUS_KM * Math.PI) / 180, 9);
  });
});
