import { expect, test } from 'vitest';
import { boundsOf } from '../../src/prediction/artefacts/regions.js';
import { regionCoverage } from '../../src/prediction/locate/coverage.js';
import { polygonContains } from '../../testing/oracle/plain-coverage.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';
import { rectangle } from './support/outlines.js';
import { BORDERS, INSIDE, OUTSIDE } from './support/places.js';

const { grid, regions } = readPredictorData();
const coverage = regionCoverage(regions);
const polygons = regions.flatMap((region) => region.polygons);

test.each(INSIDE)('the coverage contains %s', (_, latitude, longitude) => {
  expect(coverage.contains(longitude, latitude)).toBe(true);
});

test.each(OUTSIDE)('the coverage does not contain %s', (_, latitude, longitude) => {
  expect(coverage.contains(longitude, latitude)).toBe(false);
});

test.each(BORDERS)('the coverage ends along the whole of $name', ({ from, to, outward }) => {
  for (let t = 0; t <= 1; t += 0.01) {
    const latitude = from[0] + t * (to[0] - from[0]);
    const longitude = from[1] + t * (to[1] - from[1]);
    expect(coverage.contains(longitude - outward[1], latitude - outward[0]), 'inside').toBe(true);
    expect(coverage.contains(longitude + outward[1], latitude + outward[0]), 'outside').toBe(false);
  }
});

test('the coverage equals ray casting at random places in and around both states', () => {
  const random = seededRandom(8);
  const places = amount({ short: 5000, long: 50_000 });
  const [west, south, width, height] = [-126, 40.5, 11, 10];
  let inside = 0;
  for (let i = 0; i < places; i++) {
    const [longitude, latitude] = [west + width * random(), south + height * random()];
    const plain = polygons.some((polygon) => polygonContains(polygon, longitude, latitude));
    expect(coverage.contains(longitude, latitude), `${latitude}, ${longitude}`).toBe(plain);
    if (plain) inside++;
  }
  // Both states are 429,000 km2 of a box of 10 by 11 degrees at 45.5 degrees north.
  const boxKm2 = width * height * 111.2 ** 2 * Math.cos((45.5 * Math.PI) / 180);
  expect((inside / places) * boxKm2).toBeGreaterThan(400_000);
  expect((inside / places) * boxKm2).toBeLessThan(460_000);
});

test('the coverage equals ray casting within metres of the outlines', () => {
  const random = seededRandom(9);
  const perCorner = amount({ short: 4, long: 40 });
  for (const [longitude, latitude] of polygons.flat(2)) {
    for (let i = 0; i < perCorner; i++) {
      const [x, y] = [longitude + 1e-3 * (random() - 0.5), latitude + 1e-3 * (random() - 0.5)];
      const plain = polygons.some((polygon) => polygonContains(polygon, x, y));
      expect(coverage.contains(x, y), `${y}, ${x}`).toBe(plain);
    }
  }
});

test('the coverage contains every corner of its outlines', () => {
  for (const [longitude, latitude] of polygons.flat(2))
    expect(coverage.contains(longitude, latitude), `${latitude}, ${longitude}`).toBe(true);
});

test('the coverage contains every point of the grid', () => {
  const places = Array.from({ length: grid.pointCount }, (_, point) => placeOf(grid, point));
  expect(places.filter(({ longitude, latitude }) => !coverage.contains(longitude, latitude))).toEqual([]);
});

test('the coverage excludes holes of a polygon and gaps between polygons', () => {
  const square = (west: number, south: number, size: number) =>
    rectangle(west, south, west + size, south + size).map(([x, y]): [number, number] => [x, y]);
  const atoll = {
    region: 'XX',
    name: 'Atoll',
    polygons: [[square(0, 0, 9), square(3, 3, 3)], [square(20, 0, 5)]],
  };
  const sea = regionCoverage([atoll]);
  const land = [1, 4.5, 8, 15, 22].filter((longitude) => sea.contains(longitude, 4.5));
  expect(land).toEqual([1, 8, 22]);
  expect(boundsOf(atoll)).toEqual({ south: 0, west: 0, north: 9, east: 25 });
});
