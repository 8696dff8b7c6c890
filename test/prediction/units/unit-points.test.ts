import { expect, test } from 'vitest';
import { MAX_UNIT_POINTS, unitPoints } from '../../../src/prediction/units/unit-points.js';
import { readPredictorData } from '../../../testing/project.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { outlineOf, type PolygonRings, type Position, rectangle, starAround } from '../support/outlines.js';
import { placesOf, pointsInside } from '../support/synthetic-points.js';

const { index } = readPredictorData().grid;
const places = placesOf(index);

const find = (...polygons: PolygonRings[]) => [...(unitPoints(index, outlineOf(...polygons)) ?? [])];

const plainPoints = (...polygons: PolygonRings[]) => pointsInside(index, ...polygons);

/** The rings of a star and of smaller stars in it as holes. */
function starWithHoles(centre: Position, radius: number, random: () => number): PolygonRings {
  const corners = 3 + Math.floor(random() * 30);
  const holes = random() < 0.5 ? [] : [starAround(centre, radius * 0.3, corners, random)];
  return [starAround(centre, radius, corners, random), ...holes];
}

test('the points of random polygons with holes, alone or two in a unit, equal a test of every point', () => {
  const random = seededRandom(21);
  let found = 0;
  for (let i = 0; i < amount({ short: 80, long: 1200 }); i++) {
    const [longitude, latitude] = places[Math.floor(random() * places.length)];
    const polygons = [starWithHoles([longitude, latitude], 0.005 + 0.12 * random(), random)];
    // In the other direction of rings.
    const other = starWithHoles([longitude + 0.2, latitude + 0.03], 0.05, random);
    if (i % 4 === 0) polygons.push(other.map((ring) => ring.toReversed()));
    const points = find(...polygons);
    expect(points, JSON.stringify(polygons)).toEqual(plainPoints(...polygons));
    found += points.length;
  }
  expect(found).toBeGreaterThan(1000);
});

test('each point of a strip is in exactly one of the units that share its edges, even if an edge passes through points', () => {
  const [, latitude] = places[200_000];
  const step = 1 / index.stepsPerDegree;
  // Edges on the coordinates of points.
  const longitudes = [-12, -4, 0, 3, 11].map((steps) => index.longitudes[index.column[200_000] + steps]);
  const band = [latitude - 3.5 * step, latitude + 3.5 * step] as const;
  const units = longitudes
    .slice(1)
    .map((east, i) => find([rectangle(longitudes[i], band[0], east, band[1])]));
  const together = find([rectangle(longitudes[0], band[0], longitudes[4], band[1])]);
  expect(together.length).toBeGreaterThan(20);
  expect(units.flat().sort((a, b) => a - b)).toEqual(together);
});

test('an outline beyond the lattice has no points', () => {
  expect(find([rectangle(-100, 44, -99, 45)])).toEqual([]);
  expect(find([rectangle(-122, 10, -121, 11)])).toEqual([]);
  expect(find([rectangle(-170, 60, -169, 61)])).toEqual([]);
});

test('more than 1,000 points become those of a coarser lattice, spread over the whole unit', () => {
  const polygon = [starAround([-121.5, 44.5], 1.2, 40, seededRandom(23))];
  const all = plainPoints(polygon);
  const points = find(polygon);
  expect(all.length).toBeGreaterThan(10 * MAX_UNIT_POINTS);
  expect(points.length).toBeLessThanOrEqual(MAX_UNIT_POINTS);
  expect(points.length).toBeGreaterThan(MAX_UNIT_POINTS / 2);
  expect(points.filter((point) => !all.includes(point))).toEqual([]);
  const rows = [...new Set(points.map((point) => index.row[point]))];
  const columns = [...new Set(points.map((point) => index.column[point]))];
  const every = Math.min(...rows.slice(1).map((next, i) => next - rows[i]));
  expect(every).toBeGreaterThan(3);
  for (const node of [...rows, ...columns]) expect(node % every).toBe(0);
  expect(all.filter((point) => index.row[point] % every === 0 && index.column[point] % every === 0)).toEqual(
    points,
  );
  const mean = (of: number[], axis: 0 | 1) =>
    of.reduce((sum, point) => sum + places[point][axis], 0) / of.length;
  for (const axis of [0, 1] as const) expect(mean(points, axis)).toBeCloseTo(mean(all, axis), 1);
});

test('more than 1,000 points that all lie between the rows of the coarser lattice are thinned evenly', () => {
  const first = index.row[200_000] | 1;
  const strips = Array.from({ length: 10 }, (_, i) => {
    const latitude = index.latitudes[first + 2 * i];
    return [rectangle(-123.5, latitude - 0.001, -121, latitude + 0.001)];
  });
  const all = plainPoints(...strips);
  expect(all.length).toBeGreaterThan(MAX_UNIT_POINTS);
  const every = Math.ceil(all.length / MAX_UNIT_POINTS);
  expect(find(...strips)).toEqual(all.filter((_, i) => i % every === 0));
});

test('a unit of up to 1,000 points keeps them all, and one of more points keeps about a fourth', () => {
  // The rows of a rectangle are filled from the south until there are 1,000.
  const within = plainPoints([rectangle(-122.4, 43.5, -122.1, 44.6)]);
  const count = (north: number) => plainPoints([rectangle(-122.4, 43.5, -122.1, north)]).length;
  let north = 43.5;
  while (count(north + 1 / 120) <= MAX_UNIT_POINTS) north += 1 / 120;
  const points = find([rectangle(-122.4, 43.5, -122.1, north)]);
  expect(points).toEqual(within.slice(0, points.length));
  expect(points.length).toBe(count(north));
  expect(find([rectangle(-122.4, 43.5, -122.1, north + 1 / 120)]).length).toBeLessThan(MAX_UNIT_POINTS / 2);
});

test('an outline whose edges cross the whole coverage 30,000 times is too costly to fill', () => {
  const zigzag = (edges: number): Position[] => {
    const top = Array.from({ length: edges }, (_, i): Position => [-124 + (7 * i) / edges, i % 2 ? 42 : 49]);
    return [...top, [-117, 41], [-124, 41], top[0]];
  };
  expect(unitPoints(index, outlineOf([zigzag(30_000)]))).toBeUndefined();
  expect(find([zigzag(100)]).length).toBeGreaterThan(0);
});
