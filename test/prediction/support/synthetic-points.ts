import fc from 'fast-check';
import { indexPoints, type PointIndex } from '../../../src/prediction/artefacts/point-index.js';
import { polygonContains } from '../../../testing/oracle/plain-coverage.js';
import type { PolygonRings } from './outlines.js';

/** Longitude and latitude, degrees. */
export type Place = readonly [longitude: number, latitude: number];

/** Column and row of a lattice. */
export type Node = readonly [column: number, row: number];

export interface PointSet {
  readonly index: PointIndex;
  /** The places of the points, in their order. */
  readonly points: readonly Place[];
}

/** An index of points at nodes of a lattice that starts at a place. */
export function indexNodes([west, south]: Place, stepsPerDegree: number, nodes: readonly Node[]): PointSet {
  // A grid has each node at most once.
  const distinct = [...new Map(nodes.map((node) => [`${node}`, node])).values()];
  const sorted = distinct.sort(([x, y], [otherX, otherY]) => y - otherY || x - otherX);
  // Grids have coordinates of 5 decimals.
  const degrees = (start: number, steps: readonly number[]) =>
    Float64Array.from(
      { length: Math.max(...steps) + 1 },
      (_, step) => Math.round((start + step / stepsPerDegree) * 1e5) / 1e5,
    );
  const [column, row] = [sorted.map(([x]) => x), sorted.map(([, y]) => y)];
  const index = indexPoints({
    stepsPerDegree,
    latitudes: degrees(south, row),
    longitudes: degrees(west, column),
    row: Uint16Array.from(row),
    column: Uint16Array.from(column),
  });
  return { index, points: placesOf(index) };
}

/** The places of the points of an index. */
export function placesOf({ row, column, latitudes, longitudes }: PointIndex): Place[] {
  return Array.from(row, (r, point): Place => [longitudes[column[point]!]!, latitudes[r]!]);
}

/** The points of an index inside one of the polygons, found by testing all points of its latitudes. */
export function pointsInside(index: PointIndex, ...polygons: readonly PolygonRings[]): number[] {
  const { row, column, latitudes, longitudes } = index;
  const all = polygons.flat(2).map(([, latitude]) => latitude);
  const [south, north] = [Math.min(...all), Math.max(...all)];
  const points: number[] = [];
  for (let point = 0; point < row.length; point++) {
    const latitude = latitudes[row[point]!]!;
    if (latitude < south || latitude > north) continue;
    const longitude = longitudes[column[point]!]!;
    if (polygons.some((rings) => polygonContains(rings, longitude, latitude))) points.push(point);
  }
  return points;
}

const WEST = -125;
const SOUTH = 41;
/** Side of the box that contains the points. */
const SIDE_DEGREES = 9;

const nodesBetween = (from: number, to: number) =>
  fc.integer({ min: Math.max(0, Math.floor(from)), max: Math.ceil(to) });

/** Nodes that are scattered, clustered, few, close together or in a line. */
function nodesOf(stepsPerDegree: number): readonly fc.Arbitrary<Node>[] {
  const strewn = nodesBetween(0, SIDE_DEGREES * stepsPerDegree);
  const near = (degrees: number) =>
    nodesBetween((degrees - 0.01) * stepsPerDegree, (degrees + 0.01) * stepsPerDegree);
  const block = nodesBetween(0, 60);
  return [
    fc.tuple(strewn, strewn),
    fc.constantFrom<Place>([2.5, 4.5], [5, 3], [1.877, 6.9]).chain(([x, y]) => fc.tuple(near(x), near(y))),
    fc.tuple(fc.constantFrom(0, 3), fc.constantFrom(0, 1)),
    fc.tuple(block, block),
    fc.tuple(fc.constant(4 * stepsPerDegree), strewn),
    fc.tuple(strewn, fc.constant(4 * stepsPerDegree)),
  ];
}

/** 1 to 5,000 points on coarse and fine lattices. */
export const pointSets: fc.Arbitrary<PointSet> = fc
  .tuple(fc.constantFrom(8, 120, 1800, 7000), fc.nat(5), fc.constantFrom(1, 2, 64, 65, 66, 130, 700, 5000))
  .chain(([stepsPerDegree, kind, maxLength]) =>
    fc
      .array(nodesOf(stepsPerDegree)[kind]!, { minLength: 1, maxLength, size: 'max' })
      .map((nodes) => indexNodes([WEST, SOUTH], stepsPerDegree, nodes)),
  );

const longitude = fc.double({ min: WEST, max: WEST + SIDE_DEGREES, noNaN: true });
const latitude = fc.double({ min: SOUTH, max: SOUTH + SIDE_DEGREES, noNaN: true });
const halfSteps = fc.integer({ min: -3, max: 3 });

/** Places to look up: in and around the box, at points, midway between two, and in and between cells around a point. */
export const queries: fc.Arbitrary<(set: PointSet) => Place> = fc.oneof(
  fc.tuple(longitude, latitude).map((place) => () => place),
  fc
    .tuple(fc.double({ min: -140, max: -100, noNaN: true }), fc.double({ min: 30, max: 60, noNaN: true }))
    .map((place) => () => place),
  fc.nat().map(
    (i) =>
      ({ points }: PointSet) =>
        points[i % points.length]!,
  ),
  fc.tuple(fc.nat(), fc.nat()).map(([i, j]) => ({ points }: PointSet): Place => {
    const [a, b] = [points[i % points.length]!, points[j % points.length]!];
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }),
  fc.tuple(fc.nat(), latitude).map(
    ([i, y]) =>
      ({ points }: PointSet): Place => [points[i % points.length]![0], y],
  ),
  fc.tuple(fc.nat(), longitude).map(
    ([i, x]) =>
      ({ points }: PointSet): Place => [x, points[i % points.length]![1]],
  ),
  fc.tuple(fc.nat(), halfSteps, halfSteps).map(([i, east, north]) => ({ points, index }: PointSet): Place => {
    const [x, y] = points[i % points.length]!;
    return [x + east / 2 / index.stepsPerDegree, y + north / 2 / index.stepsPerDegree];
  }),
);
