import { expect, test } from 'vitest';
import { checkOutline } from '../../../src/prediction/units/check-outline.js';
import { seededRandom } from '../../../testing/random.js';
import { amount } from '../../support/length.js';
import { outlineOf, type PolygonRings, type Position, rectangle, starAround } from '../support/outlines.js';

function problem(...polygons: PolygonRings[]) {
  const found: { kind: string; near: Position | undefined }[] = [];
  const refuse = (kind: string, near?: Position) => Error(String(found.push({ kind, near })));
  try {
    checkOutline(outlineOf(...polygons), refuse);
  } catch (error) {
    if (found.length === 0) throw error;
  }
  return found.at(0);
}

/** A ring of corners that are not closed. */
const ring = (...corners: Position[]) => [...corners, corners[0]];

const OUTER = rectangle(0, 0, 10, 10);

/** Outlines that are valid by `shapely.is_valid` of shapely 2.2.0. */
const VALID: readonly (readonly [string, ...PolygonRings[]])[] = [
  ['a rectangle', [OUTER]],
  ['a triangle', [ring([0, 0], [3, 1], [1, 4])]],
  ['a polygon with holes', [OUTER, rectangle(1, 1, 2, 2), rectangle(3, 3, 9, 9)]],
  ['a hole that touches the outer ring at a corner', [OUTER, ring([0, 5], [3, 4], [3, 6])]],
  ['holes that touch at a corner', [OUTER, rectangle(1, 1, 3, 3), rectangle(3, 3, 5, 5)]],
  ['polygons that touch at a corner', [rectangle(0, 0, 1, 1)], [rectangle(1, 1, 2, 2)]],
  ['a polygon in the hole of another', [OUTER, rectangle(2, 2, 8, 8)], [rectangle(4, 4, 6, 6)]],
  [
    'a polygon whose box holds another',
    [ring([0, 0], [9, 0], [9, 1], [1, 1], [1, 9], [0, 9])],
    [rectangle(4, 4, 6, 6)],
  ],
];

/** A random position, whose coordinates are rounded as those of files are. */
const anywhere = (random: () => number): Position => [
  Number((-122 + random() / 10).toFixed(6)),
  Number((44 + random() / 10).toFixed(6)),
];
const sideOf = ([[x1, y1], [x2, y2]]: readonly Position[], [x, y]: Position) =>
  (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);

test('triangles on both sides of an edge that they share are valid, in any order, and the same triangle twice is not', () => {
  const random = seededRandom(31);
  for (let n = 0; n < amount({ short: 300, long: 20_000 }); n++) {
    const [a, b, c, d] = Array.from({ length: 4 }, () => anywhere(random));
    const sides = [c, d].map((corner) => sideOf([a, b], corner));
    if (sides.some((side) => Math.abs(side) < 1e-4)) continue; // narrow triangles
    const [one, other] = [ring(a, b, c), ring(a, b, d)];
    const kinds = [problem([one], [other]), problem([other], [one])].map((found) => found?.kind);
    if (sides[0] > 0 !== sides[1] > 0) expect(kinds).toEqual([undefined, undefined]);
    else expect(kinds).not.toContain(undefined);
    expect(problem([one], [ring(b, c, a)])?.kind).toBe('two polygons overlap');
  }
});

test('a polygon that fills the hole of another is valid, in either order', () => {
  const random = seededRandom(32);
  for (let n = 0; n < amount({ short: 100, long: 5000 }); n++) {
    const [a, b, c] = Array.from({ length: 3 }, () => anywhere(random));
    if (Math.abs(sideOf([a, b], c)) < 1e-4) continue;
    const around = rectangle(-123, 43, -121, 45);
    expect(problem([around, ring(a, b, c)], [ring(b, c, a)])).toBeUndefined();
    expect(problem([ring(b, c, a)], [around, ring(a, b, c)])).toBeUndefined();
    expect(problem([around, ring(a, b, c)], [around])?.kind).toBe('two polygons overlap');
  }
});

test.each(VALID.map(([name, ...polygons]) => ({ name, polygons })))('$name is valid', ({ polygons }) => {
  expect(problem(...polygons)).toBeUndefined();
});

const SELF = 'a ring crosses or touches itself';

const WRONG: readonly (readonly [string, kind: string, near: Position, ...PolygonRings[]])[] = [
  ['a ring like an eight', SELF, [5, 5], [ring([0, 0], [10, 10], [10, 0], [0, 10])]],
  [
    'a ring that meets a corner of its own',
    SELF,
    [5, 5],
    [ring([0, 0], [5, 5], [10, 0], [10, 10], [5, 5], [0, 10])],
  ],
  ['a ring with a corner on its own edge', SELF, [5, 0], [ring([0, 0], [10, 0], [10, 10], [5, 0], [0, 10])]],
  [
    'a ring that goes there and back',
    SELF,
    [10, 0],
    [ring([0, 0], [10, 0], [10, 10], [10, 0], [20, 0], [5, -5])],
  ],
  ['a hole across the outer ring', 'two rings cross', [10, 5], [OUTER, rectangle(8, 5, 12, 6)]],
  ['polygons that cross', 'two rings cross', [10, 5], [OUTER], [rectangle(9, 5, 11, 6)]],
  ['a hole outside', 'a hole lies outside its polygon', [20, 20], [OUTER, rectangle(20, 20, 21, 21)]],
  [
    'a hole that leaves the outer ring through its corners',
    'a hole lies outside its polygon',
    [6, 8],
    [
      ring([0, 0], [10, 0], [10, 10], [6, 10], [6, 5], [4, 5], [4, 10], [0, 10]),
      ring([6, 8], [4, 8], [2, 3], [8, 3]),
    ],
  ],
  ['a hole in a hole', 'two holes overlap', [4, 4], [OUTER, rectangle(2, 2, 8, 8), rectangle(4, 4, 6, 6)]],
  ['a polygon in another', 'two polygons overlap', [4, 4], [OUTER], [rectangle(4, 4, 6, 6)]],
  ['a polygon around another', 'two polygons overlap', [4, 4], [rectangle(4, 4, 6, 6)], [OUTER]],
  ['a polygon twice', 'two polygons overlap', [0, 0], [OUTER], [OUTER]],
  [
    'a polygon that is shifted along its edges',
    'two polygons overlap',
    [5, 5],
    [OUTER],
    [rectangle(5, 0, 15, 10)],
  ],
];

test.each(WRONG.map(([name, kind, near, ...polygons]) => ({ name, kind, near, polygons })))(
  '$name is found, with its position',
  ({ kind, near, polygons }) => {
    expect(problem(...polygons)).toEqual({ kind, near: near.map((degrees) => expect.closeTo(degrees, 9)) });
  },
);

test('polygons that share an edge are two parts of one unit', () => {
  expect(problem([OUTER], [rectangle(10, 0, 20, 10)])).toBeUndefined();
});

test('random rings that do not cross are valid, and most of them cross after two corners are exchanged', () => {
  const random = seededRandom(31);
  const count = amount({ short: 300, long: 5000 });
  let crossing = 0;
  for (let i = 0; i < count; i++) {
    const corners = 6 + Math.floor(40 * random());
    const star = starAround([-122, 44], 0.01 * (1 + random()), corners, random);
    expect(problem([star]), JSON.stringify(star)).toBeUndefined();
    const at = 1 + Math.floor(random() * (corners - 4));
    const exchanged = star.with(at, star[at + 2]).with(at + 2, star[at]);
    if (problem([exchanged])?.kind === SELF) crossing++;
  }
  expect(crossing).toBeGreaterThan(count / 2);
});

test('the crossing that is found lies on two edges', () => {
  const random = seededRandom(32);
  for (let i = 0; i < amount({ short: 200, long: 2000 }); i++) {
    const corners = Array.from({ length: 8 }, (): Position => [random(), random()]);
    const place = problem([ring(...corners)])?.near;
    if (place === undefined) continue;
    const near = corners.filter((corner, j) => {
      const next = corners[(j + 1) % corners.length];
      return distanceTo(corner, next, place) < 1e-9;
    });
    expect(near.length, JSON.stringify(corners)).toBeGreaterThanOrEqual(2);
  }
});

test('a comb of 40,000 slanting edges is too costly to check; one of level edges, a round ring of 100,000 and 2,500 holes in 20,000 edges are not', () => {
  // The boxes around the slanting edges overlap, each with all others.
  const comb = (rise: number): Position[] => [
    ...Array.from({ length: 40_000 }, (_, i): Position => [i % 2, rise * (i % 2) + i / 40_000]),
    [1, 3],
    [-1, 3],
    [-1, 0],
    [0, 0],
  ];
  expect(problem([comb(1)])?.kind).toMatch('too intricate');
  expect(problem([comb(0)])).toBeUndefined();
  expect(problem([starAround([-122, 44], 1, 100_000, () => 0.5)])).toBeUndefined();
  const holes = Array.from({ length: 2500 }, (_, i) => rectangle(i / 70, 0, i / 70 + 0.01, 40)); // in one row
  expect(problem([starAround([20, 20], 200, 20_000, () => 0.5), ...holes])).toBeUndefined();
});

test('3,000 polygons that meet in one place are too costly to check, in bounded memory; a grid of 1,600 squares is not', () => {
  const fan = Array.from({ length: 3000 }, (_, i) => [ring([0, 0], [1, i], [1, i + 0.5])]);
  const before = process.memoryUsage().heapUsed;
  expect(problem(...fan)?.kind).toMatch('too intricate');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20); // all pairs of the polygons take several hundred
  const square = (i: number) => rectangle(i % 40, Math.floor(i / 40), (i % 40) + 1, Math.floor(i / 40) + 1);
  expect(problem(...Array.from({ length: 1600 }, (_, i) => [square(i)]))).toBeUndefined();
});

function distanceTo([x1, y1]: Position, [x2, y2]: Position, [x, y]: Position): number {
  const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1));
}
