import fc from 'fast-check';
import KDBush from 'kdbush';

/** Longitude and latitude, degrees. */
export type Place = readonly [longitude: number, latitude: number];

/** An index as `shareGrid` builds it, over any points. */
export function indexOf(points: readonly Place[], nodeSize = 64): KDBush {
  const index = new KDBush(points.length, nodeSize);
  for (const [longitude, latitude] of points) index.add(longitude, latitude);
  index.finish();
  return index;
}

const longitude = fc.double({ min: -125, max: -116, noNaN: true });
const latitude = fc.double({ min: 41, max: 50, noNaN: true });
const anywhere: fc.Arbitrary<Place> = fc.tuple(longitude, latitude);

/** Grid files hold 5 decimals. */
const rounded = ([x, y]: Place): Place => [Math.round(x * 1e5) / 1e5, Math.round(y * 1e5) / 1e5];

const clustered: fc.Arbitrary<Place> = fc
  .tuple(
    fc.constantFrom<Place>([-122.5, 45.5], [-120, 44], [-123.123, 47.9]),
    fc.double({ min: -0.01, max: 0.01, noNaN: true }),
    fc.double({ min: -0.01, max: 0.01, noNaN: true }),
  )
  .map(([[x, y], east, north]) => [x + east, y + north]);
/** Few places, so that many points are the same. */
const repeated: fc.Arbitrary<Place> = fc.constantFrom<Place>(
  [-121, 44],
  [-121, 44.5],
  [-120.5, 44],
  [-120, 46],
);
/** On a lattice: many share a longitude or a latitude, and a place between them is equally far from several. */
const lattice: fc.Arbitrary<Place> = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))
  .map(([x, y]) => [-122 + x / 32, 43 + y / 32]);
const onMeridian: fc.Arbitrary<Place> = latitude.map((y) => [-121, y]);
const onParallel: fc.Arbitrary<Place> = longitude.map((x) => [x, 45]);

/** 1 to 5,000 points: strewn, clustered, repeated, on a lattice, in a line. */
export const pointSets: fc.Arbitrary<readonly Place[]> = fc
  .tuple(
    fc.constantFrom(anywhere, clustered, repeated, lattice, onMeridian, onParallel),
    fc.constantFrom(1, 2, 64, 65, 66, 130, 700, 5000),
  )
  .chain(([place, maxLength]) => fc.array(place, { minLength: 1, maxLength, size: 'max' }))
  .map((points) => points.map(rounded));

/** Places to ask for: in and around the states, and where points of the set lie, or midway between two. */
export const queries: fc.Arbitrary<(points: readonly Place[]) => Place> = fc.oneof(
  anywhere.map((place) => () => place),
  fc
    .tuple(fc.double({ min: -140, max: -100, noNaN: true }), fc.double({ min: 30, max: 60, noNaN: true }))
    .map((place) => () => place),
  fc.nat().map((i) => (points: readonly Place[]) => points[i % points.length]),
  fc.tuple(fc.nat(), fc.nat()).map(([i, j]) => (points: readonly Place[]): Place => {
    const [a, b] = [points[i % points.length], points[j % points.length]];
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }),
  fc.tuple(fc.nat(), latitude).map(
    ([i, y]) =>
      (points: readonly Place[]): Place => [points[i % points.length][0], y],
  ),
  fc.tuple(fc.nat(), longitude).map(
    ([i, x]) =>
      (points: readonly Place[]): Place => [x, points[i % points.length][1]],
  ),
);
