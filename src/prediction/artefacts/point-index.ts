import KDBush from 'kdbush';

/** With more, the rounding of coordinates to 5 decimals would be a large part of the distance between two nodes. */
export const MAX_STEPS_PER_DEGREE = 10_000;

/** Points at nodes of a lattice, in the order of rows, then columns. */
export interface GridPoints {
  /** At most MAX_STEPS_PER_DEGREE. */
  readonly stepsPerDegree: number;
  /** Float64 [rows]: degrees north of the lattice's rows, ascending. */
  readonly latitudes: Float64Array;
  /** Float64 [columns]: degrees east of the lattice's columns, ascending. */
  readonly longitudes: Float64Array;
  /** Uint16 [pointCount], index into `latitudes`. */
  readonly row: Uint16Array;
  /** Uint16 [pointCount], index into `longitudes`. */
  readonly column: Uint16Array;
}

/** Points in shared memory with a KD-tree, for searches by distance. */
export interface PointIndex extends GridPoints {
  /** A KDBush of the points' longitudes and latitudes in degrees, for `KDBush.from`. Its ids are the points' indexes. */
  readonly tree: SharedArrayBuffer;
}

/** Indexes points; their order is not checked. */
export function indexPoints({ stepsPerDegree, latitudes, longitudes, row, column }: GridPoints): PointIndex {
  return {
    stepsPerDegree,
    latitudes: sharedCopy(latitudes),
    longitudes: sharedCopy(longitudes),
    row: sharedCopy(row),
    column: sharedCopy(column),
    tree: treeOf(row.length, (point) => [longitudes[column[point]], latitudes[row[point]]]),
  };
}

/** The first point at a node of the lattice or after it. */
export function firstPointAt({ row, column }: GridPoints, ofRow: number, ofColumn: number): number {
  let [from, to] = [0, row.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (row[middle] < ofRow || (row[middle] === ofRow && column[middle] < ofColumn)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Points in a leaf of the tree: 64 build in two thirds of the time, and a search of them takes a tenth longer. */
const LEAF_POINTS = 32;

function treeOf(count: number, placeOf: (point: number) => readonly [longitude: number, latitude: number]) {
  const tree = new KDBush(count, LEAF_POINTS, Float64Array, SharedArrayBuffer);
  for (let point = 0; point < count; point++) tree.add(...placeOf(point));
  return tree.finish().data as SharedArrayBuffer;
}

export function sharedCopy<
  Numbers extends Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Float64Array,
>(numbers: Numbers): Numbers {
  const memory = new SharedArrayBuffer(numbers.byteLength);
  const copy = new (numbers.constructor as new (memory: SharedArrayBuffer) => Numbers)(memory);
  copy.set(numbers);
  return copy;
}
