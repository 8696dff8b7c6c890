import { expect, test } from 'vitest';
import type { Box } from '../../src/prediction/artefacts/regions.js';
import { latticePoints } from '../../src/prediction/locate/lattice-points.js';
import { readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { amount } from '../support/length.js';

const { index } = readPredictorData().grid;
const pointCount = index.row.length;
const latitudeOf = (point: number) => index.latitudes[index.row[point]];
const longitudeOf = (point: number) => index.longitudes[index.column[point]];

/** The points within a box of every `step`-th row and column, by going through all of them. */
function plainPoints({ west, south, east, north }: Box, step: number): number[] {
  const points: number[] = [];
  for (let point = 0; point < pointCount; point++) {
    if (index.row[point] % step !== 0 || index.column[point] % step !== 0) continue;
    const [longitude, latitude] = [longitudeOf(point), latitudeOf(point)];
    if (longitude >= west && longitude <= east && latitude >= south && latitude <= north) points.push(point);
  }
  return points;
}

const EVERYWHERE = { west: -180, south: -90, east: 180, north: 90 };

test('the points within a box are those of the finest lattice that has few enough, in their order', () => {
  const random = seededRandom(31);
  const steps = new Set<number>();
  for (let i = 0; i < amount({ short: 20, long: 500 }); i++) {
    // Some edges are exactly at points.
    const [a, b] = [Math.floor(random() * pointCount), Math.floor(random() * pointCount)];
    const off = () => (random() < 0.5 ? 0 : random() * 0.05);
    const box = {
      west: Math.min(longitudeOf(a), longitudeOf(b)) - off(),
      south: Math.min(latitudeOf(a), latitudeOf(b)) - off(),
      east: Math.max(longitudeOf(a), longitudeOf(b)) + off(),
      north: Math.max(latitudeOf(a), latitudeOf(b)) + off(),
    };
    const maxPoints = Math.ceil(10 ** (2 + 3 * random()));
    const { step, points } = latticePoints(index, box, maxPoints);
    expect([...points]).toEqual(plainPoints(box, step));
    expect(points.length).toBeLessThanOrEqual(maxPoints);
    if (step > 1) expect(plainPoints(box, step - 1).length).toBeGreaterThan(maxPoints);
    steps.add(step);
  }
  expect(steps.size).toBeGreaterThan(3);
});

/** As `latticePoints`, by going through the points of the box for every step. */
function plainLattice(box: Box, maxPoints: number) {
  const inside = plainPoints(box, 1);
  let [row, column] = [0, 0];
  for (let step = 1; ; step++) {
    const within = () =>
      inside.filter(
        (point) => (index.row[point] - row) % step === 0 && (index.column[point] - column) % step === 0,
      );
    if (within().length === 0 && inside.length > 0)
      [row, column] = [index.row[inside[0]], index.column[inside[0]]];
    if (within().length <= maxPoints) return { step, points: within() };
  }
}

test('a box that has points never has none, however few are asked for', () => {
  const random = seededRandom(32);
  let fromFirst = 0;
  for (let i = 0; i < amount({ short: 200, long: 2_000 }); i++) {
    const corner = Math.floor(random() * pointCount);
    const [west, south] = [longitudeOf(corner) - 0.1 * random(), latitudeOf(corner) - 0.1 * random()];
    const box = {
      west,
      south,
      east: longitudeOf(corner) + 0.1 * random(),
      north: latitudeOf(corner) + 0.1 * random(),
    };
    const maxPoints = 1 + Math.floor(4 * random());
    const { step, points } = latticePoints(index, box, maxPoints);
    expect({ step, points: [...points] }).toEqual(plainLattice(box, maxPoints));
    expect(points.length).toBeGreaterThan(0);
    expect(points.length).toBeLessThanOrEqual(maxPoints);
    if (plainPoints(box, step).length === 0) fromFirst++;
  }
  expect(fromFirst).toBeGreaterThan(5);
  const box = { west: -118.0464, south: 45.2236, east: -117.9464, north: 45.3236 };
  expect(plainPoints(box, 1).length).toBe(30);
  expect(latticePoints(index, box, 2).points.length).toBeGreaterThan(0);
});

test('everywhere and with space for all, every point is there', () => {
  const { step, points } = latticePoints(index, EVERYWHERE, pointCount);
  expect(step).toBe(1);
  expect(points.length).toBe(pointCount);
  expect(points.every((point, i) => point === i)).toBe(true);
  expect(latticePoints(index, EVERYWHERE, pointCount - 1).step).toBe(2);
});

test('a single point may be asked for', () => {
  expect(latticePoints(index, EVERYWHERE, 1).points.length).toBe(1);
  const box = { west: longitudeOf(7), south: latitudeOf(7), east: longitudeOf(7), north: latitudeOf(7) };
  expect([...latticePoints(index, box, 1).points]).toEqual([7]);
});
