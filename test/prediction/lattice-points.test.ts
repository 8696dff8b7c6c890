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

/** A box between two points, with some edges exactly at them, or a small one around a point. */
function randomBox(random: () => number): Box {
  const [a, b] = [Math.floor(random() * pointCount), Math.floor(random() * pointCount)];
  const [other, margin] = random() < 0.9 ? [a, 0.1] : [b, 0.05];
  const off = () => (other === b && random() < 0.5 ? 0 : random() * margin);
  return {
    west: Math.min(longitudeOf(a), longitudeOf(other)) - off(),
    south: Math.min(latitudeOf(a), latitudeOf(other)) - off(),
    east: Math.max(longitudeOf(a), longitudeOf(other)) + off(),
    north: Math.max(latitudeOf(a), latitudeOf(other)) + off(),
  };
}

test('the points within a box are those of the finest lattice with at least one and at most max_points, in order', () => {
  const random = seededRandom(32);
  const steps = new Set<number>();
  let fromFirst = 0;
  for (let i = 0; i < amount({ short: 200, long: 2_000 }); i++) {
    const box = randomBox(random);
    const inside = plainPoints(box, 1).length;
    const maxPoints = inside < 1000 ? 1 + Math.floor(4 * random()) : Math.ceil(10 ** (2 + 3 * random()));
    const { step, points } = latticePoints(index, box, maxPoints);
    expect({ step, points: [...points] }).toEqual(plainLattice(box, maxPoints));
    expect(points.length).toBeGreaterThan(0);
    expect(points.length).toBeLessThanOrEqual(maxPoints);
    if (plainPoints(box, step).length === 0) fromFirst++;
    if (inside >= 1000) steps.add(step);
  }
  expect(steps.size).toBeGreaterThan(3);
  expect(fromFirst).toBeGreaterThan(5);
});

test('every point of the grid is in the answer if max_points allows it', () => {
  const { step, points } = latticePoints(index, EVERYWHERE, pointCount);
  expect(step).toBe(1);
  expect(points.length).toBe(pointCount);
  expect(points.every((point, i) => point === i)).toBe(true);
  expect(latticePoints(index, EVERYWHERE, pointCount - 1).step).toBe(2);
  expect(latticePoints(index, EVERYWHERE, 1).points.length).toBe(1);
});
