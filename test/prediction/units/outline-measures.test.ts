import { expect, test } from 'vitest';
import { areaHa, centroid } from '../../../src/prediction/units/outline.js';
import { outlineOf, type PolygonRings, type Position, rectangle } from '../support/outlines.js';

const SQUARE = rectangle(-122.05, 44.1, -122.03, 44.12);
const HOLE = rectangle(-122.045, 44.105, -122.04, 44.11);
const TRIANGLE: Position[] = [
  [-123.912345, 43.501234],
  [-123.905432, 43.502345],
  [-123.909876, 43.507654],
  [-123.912345, 43.501234],
];

/**
 * Areas by `abs(pyproj.Geod(ellps='WGS84').polygon_area_perimeter(lons, lats)[0]) / 10000` of pyproj 3.7.2, which is
 * GeographicLib in C, holes subtracted; centroids by shapely 2.2.0.
 */
const KNOWN: readonly (readonly [string, readonly PolygonRings[], hectares: number])[] = [
  ['a square of a few hundred hectares', [[SQUARE]], 355.82320654354095],
  ['the same with a hole', [[SQUARE, HOLE]], 333.5833283099174],
  ['a triangle', [[TRIANGLE]], 18.706550641942023],
  ['a plot of 8 by 11 m', [[rectangle(-122, 45, -121.9999, 45.0001)]], 0.008762381384521723],
  ['a degree square', [[rectangle(-121, 45, -120, 46)]], 868637.9301739502],
  ['both states', [[rectangle(-124.5, 42, -117, 49)]], 45541571.50308438],
  ['two polygons', [[TRIANGLE], [rectangle(-122, 45, -121.9999, 45.0001)]], 18.715313023326544],
];

test.each(KNOWN)('the area of %s is that of GeographicLib', (_, polygons, hectares) => {
  const area = areaHa(outlineOf(...polygons));
  expect(Math.abs(area / hectares - 1)).toBeLessThan(1e-9);
});

test.each(KNOWN)('the area and the centroid of %s are the same with reversed rings', (_, polygons) => {
  const reversed = polygons.map((polygon) => polygon.map((ring) => ring.toReversed()));
  const outline = outlineOf(...polygons);
  expect(areaHa(outlineOf(...reversed))).toBeCloseTo(areaHa(outline), 6);
  const [one, other] = [centroid(outline), centroid(outlineOf(...reversed))];
  expect(other?.longitude).toBeCloseTo(Number(one?.longitude), 9);
  expect(other?.latitude).toBeCloseTo(Number(one?.latitude), 9);
});

test.each([
  ['a polygon with a hole', [[SQUARE, HOLE]], -122.03983333333332, 44.11016666666667],
  ['a triangle', [[TRIANGLE]], -123.90921766666666, 43.50374433333334],
  ['both together', [[SQUARE, HOLE], [TRIANGLE]], -122.13815874856859, 44.07827021462643],
  [
    'two small plots far apart',
    [[rectangle(-124, 42.2, -123.99995, 42.20005)], [rectangle(-117.2, 48.9, -117.19995, 48.90005)]],
    -120.599975,
    45.550025,
  ],
] as const)('the centroid of %s is that of shapely', (_, polygons, longitude, latitude) => {
  const found = centroid(outlineOf(...polygons));
  expect(found?.longitude).toBeCloseTo(longitude, 9);
  expect(found?.latitude).toBeCloseTo(latitude, 9);
});

test.each([
  [
    'along a diagonal',
    [
      [-122, 44],
      [-121.9, 44.1],
      [-121.8, 44.2],
      [-122, 44],
    ],
  ],
  [
    'along a parallel',
    [
      [-122, 44],
      [-121.9, 44],
      [-121.8, 44],
      [-122, 44],
    ],
  ],
] as const)('a ring %s has no centroid', (_, ring) => {
  expect(centroid(outlineOf([ring]))).toBeUndefined();
});
