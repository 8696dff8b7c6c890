import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NearestPoint } from '../../src/prediction/locate/nearest-point.js';
import { greatCircleKm, nearestPoint, treeOf } from '../../testing/oracle/plain-nearest-point.js';
import { readPredictorData, searchRadiusKm } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { forAll } from '../support/for-all.js';
import { amount } from '../support/length.js';
import {
  indexNodes,
  type Node,
  type Place,
  placesOf,
  pointSets,
  queries,
} from './support/synthetic-points.js';

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

const { index } = readPredictorData().grid;
const gridPoints = placesOf(index);
const gridTree = treeOf(gridPoints);

test('the nearest point of the real grid is as near as that of geokdbush.around at random places in and around both states', () => {
  const random = seededRandom(4);
  const places = amount({ short: 2000, long: 20_000 });
  const nearest = new NearestPoint(index, searchRadiusKm);
  let found = 0;
  for (let i = 0; i < places; i++) {
    const query: Place = [-126 + 11 * random(), 40.5 + 10 * random()];
    const point = nearest.find(...query);
    const around = nearestPoint(gridTree, ...query, searchRadiusKm);
    expect(point === -1, `${query}`).toBe(around === undefined);
    if (around === undefined) continue;
    found++;
    // Of equally near points `around` returns any, `find` the one with the lowest index.
    expect(point).toBeLessThanOrEqual(around);
    expect(haversine(query, gridPoints[point])).toBe(haversine(query, gridPoints[around]));
    expect(nearest.distanceKm).toBeCloseTo(greatCircleKm(...query, ...gridPoints[around]), 9);
  }
  expect(found).toBeGreaterThan(0.1 * places);
  expect(found).toBeLessThan(0.9 * places);
});

test('the nearest point to a point of the real grid is the point itself', () => {
  const nearest = new NearestPoint(index, searchRadiusKm);
  const others = gridPoints.filter(
    (place, point) => nearest.find(...place) !== point || nearest.distanceKm !== 0,
  );
  expect(others).toEqual([]);
});

test('the nearest point of any set equals that of a search of all; a tie gives the lowest index', () => {
  const radius = fc.constantFrom(0.1, 1, 20, 100, 500);
  const lookups = fc.array(queries, { minLength: 1, maxLength: 30 });
  forAll({ short: 100, long: 1000 }, [pointSets, lookups, radius], (set, queriesOf, radiusKm) => {
    const nearest = new NearestPoint(set.index, radiusKm);
    for (const query of queriesOf) {
      const place = query(set);
      const haversines = set.points.map((point) => haversine(place, point));
      const smallest = haversines.reduce((least, each) => Math.min(least, each));
      const isNear = smallest <= Math.sin(radiusKm / EARTH_RADIUS_KM / 2) ** 2;
      expect(nearest.find(...place), `${place}`).toBe(isNear ? haversines.indexOf(smallest) : -1);
    }
  });
});

test('no point is near a place that is not a number', () => {
  const nearest = new NearestPoint(index, searchRadiusKm);
  expect(nearest.find(Number.NaN, 44)).toBe(-1);
  expect(nearest.find(-122, Number.NaN)).toBe(-1);
});

const single = indexNodes([-121, 44], 120, [[0, 0]]).index;

test('a point just inside the search radius is found and one just outside it is not', () => {
  const query: Place = [-121.04, 44.02];
  const distanceKm = greatCircleKm(...query, -121, 44);
  expect(new NearestPoint(single, distanceKm * (1 + 1e-9)).find(...query)).toBe(0);
  expect(new NearestPoint(single, distanceKm * (1 - 1e-9)).find(...query)).toBe(-1);
});

/** Degrees in steps of 1e-9; much smaller differences have a haversine of 0. */
const degrees = (max: number) => fc.integer({ min: -max * 1e9, max: max * 1e9 }).map((steps) => steps / 1e9);
/** Often at the poles, on the antimeridian and at the limits of grids. */
const placesOnSphere: fc.Arbitrary<Place> = fc.oneof(
  fc.tuple(degrees(180), degrees(90)),
  fc.tuple(fc.constantFrom(-180, -170, 0, 60, 170, 179.9, 180), fc.constantFrom(-90, -80, 0, 45, 80.5, 90)),
  fc.tuple(degrees(4), degrees(4)).map(([east, north]): Place => [-168 + east, -78 + north]),
);
/** Points on a fine lattice and on the coarsest, where rows have many, as far north and east as those of grids. */
const setsOnSphere = fc.constantFrom(10, 1).chain((stepsPerDegree) => {
  const nodes: fc.Arbitrary<Node> = fc.oneof(
    fc.tuple(fc.nat(340 * stepsPerDegree), fc.nat(160 * stepsPerDegree)),
    fc.tuple(fc.constantFrom(0, 1, 340 * stepsPerDegree), fc.constantFrom(0, 1, 160 * stepsPerDegree)),
    fc.tuple(fc.nat(5), fc.nat(5)), // nearly all of them: a block
  );
  return fc
    .array(nodes, { minLength: 1, maxLength: 300, size: 'max' })
    .map((array) => indexNodes([-170, -80], stepsPerDegree, array));
});

test('find and findAnywhere give the nearest of all points for any place on the sphere, with and without a radius', () => {
  const radius = fc.constantFrom(1, 20, 100);
  forAll(
    { short: 600, long: 40_000 },
    [setsOnSphere, placesOnSphere, radius],
    ({ index, points }, at, radiusKm) => {
      const nearest = new NearestPoint(index, radiusKm);
      const haversines = points.map((point) => Math.min(1, haversine(at, point)));
      const smallest = Math.min(...haversines);
      const isNear = smallest <= Math.sin(radiusKm / EARTH_RADIUS_KM / 2) ** 2;
      expect(nearest.find(...at)).toBe(isNear ? haversines.indexOf(smallest) : -1);
      const found = nearest.findAnywhere(...at);
      if (isNear) expect(found).toBe(haversines.indexOf(smallest));
      expect(haversines[found]).toBeCloseTo(smallest, 14); // geokdbush rounds its lower bounds
      expect(nearest.distanceKm).toBeCloseTo(
        2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversines[found])),
        6,
      );
    },
  );
});
