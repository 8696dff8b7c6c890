import fc from 'fast-check';
import type { MultiPolygon, Polygon } from 'geojson';
import { expect, test } from 'vitest';
import { placeIn } from '../../web/src/state/coordinates.js';
import {
  cornersText,
  insertCorner,
  isRemovable,
  moveCorner,
  type Rings,
  readCorners,
  removeCorner,
  ringsOf,
  withRings,
} from '../../web/src/state/corners.js';
import { forAll } from '../support/for-all.js';

const degrees = (limit: number) =>
  fc.integer({ min: -limit * 1e5, max: limit * 1e5 }).map((value) => value / 1e5);
const ring = fc
  .uniqueArray(fc.tuple(degrees(180), degrees(90)), { minLength: 3, maxLength: 8, selector: String })
  .map((corners) => [...corners, corners[0]!]);
const polygon = fc.array(ring, { minLength: 1, maxLength: 3 });
const geometry: fc.Arbitrary<Polygon | MultiPolygon> = fc.oneof(
  polygon.map((coordinates) => ({ type: 'Polygon' as const, coordinates })),
  fc
    .array(polygon, { minLength: 1, maxLength: 3 })
    .map((coordinates) => ({ type: 'MultiPolygon' as const, coordinates })),
);

test('any polygons are the same after their corners were written as text, read and put back', () => {
  forAll(100, [geometry], (before) => {
    const read = readCorners(cornersText(ringsOf(before)!));
    expect(typeof read === 'string' ? read : withRings(before, read)).toEqual(before);
  });
});

test('a corner that is added and removed, or moved there and back, leaves the polygons as they were', () => {
  forAll(100, [geometry, fc.nat(), fc.nat()], (before, first, second) => {
    const rings = ringsOf(before)!;
    const at = { ring: first % rings.length, index: second % rings[first % rings.length]!.length };
    expect(removeCorner(insertCorner(rings, at, [1.5, 2.5]), at)).toEqual(rings);
    const moved = moveCorner(rings, at, [1.5, 2.5]);
    expect(moved[at.ring]![at.index]).toEqual([1.5, 2.5]);
    expect(moveCorner(moved, at, rings[at.ring]![at.index]!)).toEqual(rings);
  });
});

test('a ring keeps three corners, and damaged geometries have none that can be edited', () => {
  const triangle = readCorners('0, 0\n0, 1\n1, 0') as Rings;
  expect(removeCorner(triangle, { ring: 0, index: 1 })).toEqual(triangle);
  const square = insertCorner(triangle, { ring: 0, index: 3 }, [1, 1]);
  // Undo may have taken back the corner that is chosen.
  expect([3, 4].map((index) => isRemovable(square, { ring: 0, index }))).toEqual([true, false]);
  for (const coordinates of [[], [[]], [null], [[[0, 0], null]], [[[5e5, 4e6]]], [[[0, 0]]], [['ab']]])
    expect(ringsOf({ type: 'Polygon', coordinates: coordinates as Polygon['coordinates'] })).toBeNull();
});

test('text that is no corner is named by its line', () => {
  const message = 'Line 4 has no latitude and longitude in degrees, such as 44.12, -122.03.';
  expect(readCorners('44.1, -122\n44.2;-122.1\n\n44.3')).toBe(message);
  expect(readCorners(' 44.1, -122 \n44.2;-122.1\n44.3 -122')).toEqual([
    [
      [-122, 44.1],
      [-122.1, 44.2],
      [-122, 44.3],
    ],
  ]);
});

// UTM by pyproj 3.7.2, EPSG:32610 and EPSG:32611.
test.each([
  ['44.12, -122.03', 44.12, -122.03],
  ['44.12 -122.03', 44.12, -122.03],
  ['-122.03, 44.12', 44.12, -122.03],
  ['44° 7′ 12″ N, 122° 1′ 48″ W', 44.12, -122.03],
  ['44°07\'12"N 122°01\'48"W', 44.12, -122.03],
  ['N 44 7.2 W 122 1.8', 44.12, -122.03],
  ['44 7 12, -122 1 48', 44.12, -122.03],
  ['44.12N 122.03W', 44.12, -122.03],
  ['10T 577612.09 4885658.50', 44.12, -122.03],
  ['10T 0577612 4885658', 44.12, -122.03],
  ['44.12, \u2212122.03', 44.12, -122.03],
  ['(44.12, -122.03)', 44.12, -122.03],
  ['122 1 48 W 44 7 12 N', 44.12, -122.03],
  ['w 122.03, n 44.12', 44.12, -122.03],
  ['UTM zone 11, 460937mE 5038618mN', 45.5, -117.5],
])('%s is a place', (text, latitude, longitude) => {
  const place = placeIn(text);
  expect(place?.latitude).toBeCloseTo(latitude, 4);
  expect(place?.longitude).toBeCloseTo(longitude, 4);
});

test.each([
  '44.12',
  '44 60 0 N, 122 1 48 W',
  '91, 181',
  '44 7 N, 122 W E',
  '44 N 45 N',
  '122 W 44 E',
  '61T 577612 4885658',
  '10T 5 6',
  'Bend',
  '',
])('%j is no place', (text) => expect(placeIn(text)).toBeNull());
